# DDLSIM_PORTABLE: a program that takes nothing from its machine but glibc 2.34 or later and libgcc_s, for packages that
# serve several distributions. SimGrid and fmt are the archives of packaging/libraries.sh (CMAKE_PREFIX_PATH), the others
# are Debian's.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(CMAKE_SKIP_RPATH ON)
add_link_options(-s -static-libstdc++) # libgcc_s is everywhere; a copy of it in the program would need glibc 2.35

# The headers and the target are Debian's, so that ccache knows what was compiled for the other builds.
function(ddlsim_portable_fmt)
  find_library(DDLSIM_FMT_ARCHIVE fmt REQUIRED)
  set_target_properties(fmt::fmt PROPERTIES IMPORTED_LOCATION_NONE ${DDLSIM_FMT_ARCHIVE}
                        IMPORTED_LOCATION_RELEASE ${DDLSIM_FMT_ARCHIVE} IMPORTED_LOCATION ${DDLSIM_FMT_ARCHIVE})
endfunction()

function(ddlsim_older_c_library target)
  set(source ${CMAKE_SOURCE_DIR}/packaging/older_c_library.cpp)
  target_sources(${target} PRIVATE ${source})
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
  target_link_options(${target} PRIVATE -Wl,--wrap=hypot)
endfunction()
