#!/bin/sh
# bare_debian_test.sh BUILD_FOLDER: makes the .deb, installs it by apt into a Debian 12 of essential packages alone, and
# asks it from another folder. Needs root and mmdebstrap.
set -eu
build=$1
if [ "$(id -u)" -ne 0 ] || ! command -v mmdebstrap >/dev/null; then
  echo "skipped: needs root and mmdebstrap"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cpack --config "$build/CPackConfig.cmake" -B "$folder/package" >/dev/null
deb=$(ls "$folder"/package/ddlsim_*.deb)
mmdebstrap --quiet --variant=apt --include="$deb" --hook-dir=/usr/share/mmdebstrap/hooks/file-mirror-automount \
  bookworm "$folder/root" >"$folder/log" 2>&1 || { tail -n 20 "$folder/log"; exit 1; }
# /proc, in a mount namespace that ends with the command: the program finds its data from where it is itself
unshare --mount sh -c 'mount -t proc proc "$1/proc" && exec chroot "$1" sh -c "$2"' sh "$folder/root" \
  'cd /tmp && ddlsim predict scenarios/iris-resnet50.json --gpus 8 --strategy ring --csv' >"$folder/answer"
cd /
"$build/bin/ddlsim" predict scenarios/iris-resnet50.json --gpus 8 --strategy ring --csv | cmp - "$folder/answer"
echo "installed on a bare Debian $(cat "$folder/root/etc/debian_version"): the same answer"
