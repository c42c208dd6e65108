#!/bin/sh
# wheel_test.sh DDLSIM SOURCE ENVIRONMENT TESTS...: a wheel around a program that is built already, put into a copy of
# nothing but the environment's site-packages, and these tests of the package.
set -eu
program=$1 source=$2 environment=$3
shift 3
if [ ! -x "$environment/bin/pip" ]; then
  echo "skipped: no $environment; ./run tests makes it"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$environment/bin/pip" wheel -q --no-build-isolation --no-deps --no-index --wheel-dir "$folder" \
  --config-settings=cmake.define.DDLSIM_PROGRAM="$program" "$source"
"$environment/bin/pip" install -q --no-deps --no-index --target "$folder/site" "$folder"/ddlsim-*.whl
cd "$folder" # so that nothing of the checkout is found by chance
DDLSIM=$program SOURCE=$source PYTHONPATH=$folder/site PYTHONDONTWRITEBYTECODE=1 \
  "$environment/bin/python" -m pytest -q -p no:cacheprovider "$@"
