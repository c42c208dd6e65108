#!/usr/bin/env bash
# Are the sources as clang-format and the house rules would have them? With "tidy": clang-tidy too (minutes).
set -euo pipefail
root=$1
cd "$root"
sources=$(git ls-files '*.cpp' '*.hpp')
clang-format --dry-run -Werror $sources
long=$(wc -l $sources | awk '$2 != "total" && $1 > 400')
if [ -n "$long" ]; then
  printf 'files over 400 lines (one noun a file):\n%s\n' "$long" >&2
  exit 1
fi
# Only sim/network/nic_rate.cpp multiplies or divides the rate of a NIC or an uplink; a size over a rate is a time.
rate='([A-Za-z_]+(\.|->))*(busy_)?(nic|uplink)_Bps(_|\(\))?'
if grep -nE "\\b$rate *[*/]|[*/]= *$rate\\b|\\* *$rate\\b|bandwidth_Bps *\\*.*\\bcount\\b|\\bcount *\\*.*bandwidth_Bps" \
  $(printf '%s\n' $sources | grep -v '^tests/\|^sim/network/nic_rate\.cpp$') >&2; then
  echo 'these lines bend the rate of a NIC: let nic_rate_Bps of sim/network/nic_rate.hpp do it' >&2
  exit 1
fi
python3 tests/layers.py "$root"
python3 tests/case_names.py "$root"
if [ "${2:-}" = tidy ]; then
  # What clang++ builds, in groups that include a dozen sources: the trainer's sources on LibTorch are not among them
  # (trainer/CMakeLists.txt says why). Sources are then what a header is otherwise: read because they are included.
  groups=$(python3 -c 'import json, os
for unit in json.load(open("build/tidy-groups/compile_commands.json")): print(os.path.relpath(unit["file"]))' |
    sort -u | grep -v 'tests/\(CMakeFiles/\)\?smpi')
  rooms=$(sed -n "s/^HeaderFilterRegex: '\(.*\)hpp\$'$/\1[ch]pp$/p" .clang-tidy)
  printf '%s\n' "$groups" | xargs -P 2 -n 1 clang-tidy --quiet -p build/tidy-groups --checks=-bugprone-suspicious-include --header-filter="$rooms"
  printf 'clang-tidy: %s groups of sources read\n' "$(printf '%s\n' "$groups" | wc -l)"
fi
printf 'style: %s files are as they should be\n' "$(printf '%s\n' "$sources" | wc -l)"
