#!/bin/sh
# man_pages.sh PROGRAM VERSION FOLDER: a page for ddlsim and one for each command, made by help2man from what --help says.
set -eu
program=$1 version=$2 folder=$3
mkdir -p "$folder"
page() { # FILE NAME-LINE COMMAND-LINE
  help2man --no-info --version-string="$version" --name="$2" --output="$folder/$1.1" "$3"
}
page ddlsim "how fast distributed training will run on a cluster you do not have yet" "$program"
for command in $("$program" complete ''); do
  page "ddlsim-$command" "$("$program" "$command" --help | head -n 1)" "$program $command"
done
