#!/usr/bin/env bash
# libraries.sh FOLDER: SimGrid and fmt as archives, from Debian's sources, for a program that needs no library of its
# machine (DDLSIM_PORTABLE). Debian's own libsimgrid is linked with ns-3 and GSL, whose licences (GPL) would hold for the
# program, and Debian has no libfmt.a. Takes minutes once. The folder gets lib/, include/ and the sources.
set -euo pipefail
folder=$(mkdir -p "$1" && cd "$1" && pwd)
simgrid=3.32 simgrid_package=simgrid=3.32-2
fmt=9.1.0+ds1 fmt_package=fmtlib=9.1.0+ds1-2
checksums="4b413d8e9d9b29b8e086b2f3edaec5b1149d7eb52b2e134f1ed13d30891ece7b  simgrid_$simgrid.orig.tar.xz
84ce1c2d0be3a9863935137969dcec6970125caac032f82474640bfc81463583  fmtlib_$fmt.orig.tar.gz"
built="$simgrid_package $fmt_package $(sha256sum <"$0")"
cd "$folder"
[ "$(cat built 2>/dev/null)" = "$built" ] && exit 0

fetch() { # from the machine's own mirror: apt's sources of packages, read as sources of source packages
  local apt=$folder/apt file=/etc/apt/sources.list.d/debian.sources
  mkdir -p "$apt/lists"
  if [ -f "$file" ]; then
    sed 's/^Types:.*/Types: deb-src/' "$file" >"$apt/debian.sources"
  else
    sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >"$apt/debian.list"
  fi
  local options=(-qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$apt" -o Dir::State::lists="$apt/lists"
    -o APT::Sandbox::User=root)
  apt-get "${options[@]}" update
  apt-get "${options[@]}" source --download-only "$simgrid_package" "$fmt_package"
}

if ! sha256sum --quiet -c <<<"$checksums" >/dev/null 2>&1; then
  fetch
  sha256sum --quiet -c <<<"$checksums"
fi
tar xf "simgrid_$simgrid.orig.tar.xz"
tar xf "fmtlib_$fmt.orig.tar.gz"
launcher=()
if command -v ccache >/dev/null; then
  export CCACHE_BASEDIR=$folder CCACHE_NOHASHDIR=1
  launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_C_COMPILER_LAUNCHER=ccache)
fi

# No path of this machine in what is compiled. No NDEBUG: Debian builds SimGrid with its checks.
flags="-O2 -g0 -fPIC -ffile-prefix-map=$folder=."
cmake -S "simgrid-$simgrid" -B simgrid-build -G Ninja "${launcher[@]}" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr \
  -DCMAKE_CXX_FLAGS_RELEASE="$flags" -DCMAKE_C_FLAGS_RELEASE="$flags" -Denable_lto=OFF -Denable_smpi=OFF \
  -Denable_fortran=OFF -Denable_python=OFF -Denable_ns3=OFF -Denable_documentation=OFF \
  -DCMAKE_DISABLE_FIND_PACKAGE_pybind11=ON
cmake --build simgrid-build --target simgrid
mkdir -p lib/pkgconfig include objects
rm -f lib/*.a
find simgrid-build/CMakeFiles/simgrid.dir -name '*.o' | LC_ALL=C sort | xargs ar rcsD lib/libsimgrid.a
cp -r "simgrid-$simgrid/include/simgrid" "simgrid-$simgrid/include/xbt" "simgrid-$simgrid"/include/smpi include/
cp simgrid-build/include/simgrid/*.h include/simgrid/
cat >lib/pkgconfig/simgrid.pc <<END
Name: SimGrid
Description: the archive, whole, since its parts register themselves
Version: $simgrid
Libs: -Wl,--whole-archive,$folder/lib/libsimgrid.a,--no-whole-archive
Cflags: -I$folder/include
END
for source in format os; do
  g++ -std=c++20 -O2 -fPIC "-ffile-prefix-map=$folder=." -Ifmtlib-$fmt/include -c "fmtlib-$fmt/src/$source.cc" -o "objects/$source.o"
done
ar rcsD lib/libfmt.a objects/format.o objects/os.o
printf '%s' "$built" >built
