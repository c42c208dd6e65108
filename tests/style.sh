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
python3 tests/layers.py "$root"
if [ "${2:-}" = tidy ]; then
  # What clang++ builds: the trainer's sources on LibTorch are not among it (trainer/CMakeLists.txt says why).
  built=$(python3 -c 'import json, os
for unit in json.load(open("build/tidy/compile_commands.json")): print(os.path.relpath(unit["file"]))' | sort -u)
  read_by_tidy=$(git ls-files '*.cpp' | grep -v '^tests/smpi/' | grep -Fx "$built")
  printf '%s\n' "$read_by_tidy" | xargs -P 2 -n 4 clang-tidy --quiet -p build/tidy
  printf 'clang-tidy: %s sources read\n' "$(printf '%s\n' "$read_by_tidy" | wc -l)"
fi
printf 'style: %s files are as they should be\n' "$(printf '%s\n' "$sources" | wc -l)"
