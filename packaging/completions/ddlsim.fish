# fish: offers commands, options, and names of clusters, models, GPUs, presets and strategies; files where a file is meant.
complete -c ddlsim -a '(ddlsim complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
