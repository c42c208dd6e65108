#!/usr/bin/env bash
# release.sh ENVIRONMENT: wheel, Debian package, source archives, CHANGELOG's section and checksums of the commit that is
# checked out, in build/packages/VERSION. ENVIRONMENT is a Python environment with packaging/environment.txt. The same
# commit gives the same bytes on the same versions of Debian's packages. `./run release` calls this after it has written
# the documents' figures.
set -euo pipefail
environment=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
root=$PWD
version=$(cat VERSION)
packages=build/packages/$version
program=build/portable/bin/ddlsim
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC
umask 022

say() { printf '%s\n' "$*" >&2; }

program() {
  packaging/libraries.sh build/libraries
  cmake --preset portable
  cmake --build build/portable --target ddlsim
}

debian() {
  rm -rf build/portable/_CPack_Packages
  cpack --config build/portable/CPackConfig.cmake -B build/portable/packages
  mv build/portable/packages/ddlsim_*.deb "$packages"
}

wheel() { # around the program; auditwheel says which glibc it needs, and refuses what is not on every such machine
  local folder=build/portable/wheel
  rm -rf "$folder"
  "$environment/bin/pip" wheel --no-build-isolation --no-deps --no-index --wheel-dir "$folder" \
    --config-settings=cmake.define.DDLSIM_PROGRAM="$root/$program" --config-settings=cmake.define.DDLSIM_PORTABLE=ON .
  PATH=$environment/bin:$PATH auditwheel repair --wheel-dir "$packages" "$folder"/ddlsim-*.whl
}

sources() { # ddlsim's, and those of SimGrid, which the LGPL asks to publish beside a program that contains it
  git archive --format=tar --prefix="ddlsim-$version/" HEAD | gzip -n -9 >"$packages/ddlsim-$version.tar.gz"
  cp build/libraries/simgrid_*.orig.tar.xz "$packages"
}

changes() { # CHANGELOG's section of this version, without its heading
  awk -v head="## $version" 'index($0, "## ") == 1 { here = index($0, head) == 1; next } here' CHANGELOG.md |
    sed '/./,$!d' >"$packages/CHANGES-$version.md"
  [ -s "$packages/CHANGES-$version.md" ] || { say "CHANGELOG.md has no section \"## $version\""; return 1; }
}

mkdir -p "$packages"
rm -f "$packages"/*
for step in program debian wheel sources changes; do
  say "release: $step ..."
  log=build/release-$step.log
  set +e # inside a condition the shell would go on after a command that failed
  (set -e; "$step") >"$log" 2>&1
  status=$?
  set -e
  if [ "$status" -ne 0 ]; then tail -n 20 "$log" >&2; say "release: $step failed; $log has all of it"; exit 1; fi
done
(cd "$packages" && sha256sum -- * >SHA256SUMS)
say "release: $packages has"
(cd "$packages" && ls -l | awk 'NR > 1 { printf "  %10d bytes  %s\n", $5, $9 }') >&2
