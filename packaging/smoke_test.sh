#!/bin/sh
# smoke_test.sh [DDLSIM]: asks an installed ddlsim one question of each kind, from an empty folder and without a home folder.
# Each must print an answer and no warning. The script needs only a POSIX shell with mktemp and env.
set -eu
ddlsim=${1:-ddlsim}
case $ddlsim in */*) ddlsim=$(cd "$(dirname "$ddlsim")" && pwd)/$(basename "$ddlsim") ;; esac
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
ask() { # STATUS WORDS...: ends with this status, prints something, complains of nothing
  expected=$1
  shift
  status=0
  env HOME=/nonexistent "$ddlsim" "$@" >out 2>err || status=$?
  if [ "$status" -ne "$expected" ] || [ ! -s out ] || [ -s err ]; then
    echo "smoke test: ddlsim $* ended with $status, $expected was expected; it said:"
    cat err
    exit 1
  fi
}
ask 0 --version
ask 0 list clusters
ask 0 explain straggling
ask 0 predict scenarios/iris-resnet50.json --quiet
ask 0 predict scenarios/iris-resnet50.json --gpus 8 --strategy ring --json
ask 0 plan scenarios/plans/imagenet-90-epochs.json --quiet
ask 3 diagnose scenarios/pascal-servers-or-horovod.json --strategy auto --step "4=530 ms" --step "16=820 ms" --quiet
ask 0 complete predict --fid
echo "smoke test: $("$ddlsim" --version) answers"
