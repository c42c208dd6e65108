# bash: offers commands, options, and names of clusters, models, GPUs, presets and strategies; files where a file is meant.
_ddlsim() {
  mapfile -t COMPREPLY < <(ddlsim complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _ddlsim ddlsim
