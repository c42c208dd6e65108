#!/bin/sh
# licences.sh LIBRARIES FOLDER: the licences of all that a portable program contains. LIBRARIES is what libraries.sh made.
set -eu
libraries=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder"
copy() { # NAME PACKAGE: what Debian says of a package that was compiled in
  cp "/usr/share/doc/$2/copyright" "$folder/$1.txt"
}
copy zlib zlib1g-dev
copy zstd libzstd-dev
copy eigen libeigen3-dev
copy nlohmann-json nlohmann-json3-dev
copy cli11 libcli11-dev
cp "$(dirname "$0")/boost_licence.txt" "$folder/boost.txt"
copy libstdc++ "libstdc++-12-dev"
cp "$libraries"/fmtlib-*/LICENSE.rst "$folder/fmt.txt"
cat "$libraries"/simgrid-3.32/COPYING "$libraries"/simgrid-3.32/LICENSE-LGPL-2.1 >"$folder/simgrid.txt"
cp /usr/share/common-licenses/GPL-3 /usr/share/common-licenses/MPL-2.0 "$folder"
cat >"$folder/README" <<'END'
ddlsim is under the Apache licence 2.0. Its program contains these libraries; each has its licence in this folder.

  SimGrid 3.32        LGPL 2.1, unchanged. Its source is published beside this package (simgrid_3.32.orig.tar.xz).
  fmt 9.1             MIT
  zlib, zstd          zlib, BSD (3 clauses)
  nlohmann-json       MIT
  CLI11               BSD (3 clauses)
  Eigen 3.4           MPL 2.0, unchanged; only its headers. Source: Debian's package eigen3
  Boost 1.74          BSL 1.0; only headers
  libstdc++ (GCC 12)  GPL 3 with the GCC Runtime Library Exception

To use another SimGrid: the source archive of ddlsim has packaging/libraries.sh, which builds the archive of SimGrid, and
`cmake --preset portable && cmake --build build/portable`, which links the program with it.
END
