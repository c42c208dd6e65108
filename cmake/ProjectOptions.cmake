# What every target of the project is compiled with. Results must be the same bytes on every machine:
# no -march=native, no fused multiply-add behind our back (-ffp-contract=off).
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# ccache serves every checkout of the same sources: paths below the root do not count, and precompiled headers are known
# by what they contain.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE_PROGRAM})
endif()

add_library(ddlsim_options INTERFACE)
target_compile_features(ddlsim_options INTERFACE cxx_std_20) # of a program that stands on an installed ddlsim, too
set(shadow -Wshadow)
if(CMAKE_UNITY_BUILD) # another source's names are not ours; one by one (dev, tidy) every name is asked
  set(shadow $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local>)
endif()
target_compile_options(ddlsim_options INTERFACE
  $<BUILD_INTERFACE:-Wall;-Wextra;-Wpedantic;-Werror;${shadow};-Wnon-virtual-dtor;-Wold-style-cast;-Wcast-qual;-Wfloat-conversion>
  -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(ddlsim_options INTERFACE
    $<BUILD_INTERFACE:-Wno-restrict;-Wno-stringop-overflow;-Wno-array-bounds>) # false alarms on std::string + "text" (GCC bug 105651)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # newer than Debian 12: names that SimGrid 4 gave up, a precompiled header that -O1 cannot use
  target_compile_options(ddlsim_options INTERFACE $<BUILD_INTERFACE:-Wno-error=deprecated-declarations;-Wno-error=invalid-pch>)
endif()
target_include_directories(ddlsim_options INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}> $<INSTALL_INTERFACE:include/ddlsim>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # -fpch-preprocess lets ccache see what a precompiled header holds. GCC collects its garbage only beyond 400 MB,
  # which saves a tenth of the time.
  target_compile_options(ddlsim_options INTERFACE
    $<BUILD_INTERFACE:-fpch-preprocess> "SHELL:$<BUILD_INTERFACE:--param ggc-min-heapsize=800000>")
endif()

if(DDLSIM_SANITIZE)
  target_compile_options(ddlsim_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined
                         -fno-omit-frame-pointer)
  target_link_options(ddlsim_options INTERFACE -fsanitize=address,undefined)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(ddlsim_options INTERFACE -Wno-maybe-uninitialized) # ghosts in std::regex and Catch2 (GCC 12)
    # A quarter of the build's time, for what the address sanitizer reports too; clang's builds (fuzz) keep them.
    target_compile_options(ddlsim_options INTERFACE -fno-sanitize=null,alignment,object-size,vptr)
  endif()
endif()

if(DDLSIM_FUZZ) # libFuzzer sees which branches an input takes
  target_compile_options(ddlsim_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Headers that most sources include are parsed once for the libraries and the program, and once, with Catch2's, for the
# tests. Off for clang-tidy, which reads nothing of GCC's.
function(ddlsim_precompile name kind)
  if(DDLSIM_PRECOMPILE)
    target_precompile_headers(${name} REUSE_FROM ddlsim_precompiled_${kind})
  endif()
endfunction()

# ddlsim_precompiled(KIND LINK ... HEADERS ...): the headers that targets of that kind share.
function(ddlsim_precompiled kind)
  if(NOT DDLSIM_PRECOMPILE)
    return()
  endif()
  cmake_parse_arguments(PRE "" "" "LINK;HEADERS" ${ARGN})
  set(nothing ${CMAKE_BINARY_DIR}/precompiled_${kind}.cpp)
  if(NOT EXISTS ${nothing})
    file(WRITE ${nothing} "")
  endif()
  add_library(ddlsim_precompiled_${kind} OBJECT ${nothing})
  target_link_libraries(ddlsim_precompiled_${kind} PRIVATE ddlsim_options ${PRE_LINK})
  target_precompile_headers(ddlsim_precompiled_${kind} PRIVATE
    <algorithm> <array> <cmath> <cstddef> <cstdint> <filesystem> <functional> <map> <memory> <numeric> <optional>
    <set> <span> <sstream> <string> <string_view> <utility> <vector> <fmt/format.h> <nlohmann/json.hpp> ${PRE_HEADERS})
endfunction()

# Where sources are compiled in groups, those of a target in groups of `count`.
function(ddlsim_group name count)
  if(CMAKE_UNITY_BUILD)
    set_target_properties(${name} PROPERTIES UNITY_BUILD_BATCH_SIZE ${count})
  endif()
endfunction()

# A target in which no step is timed: all but the modules from network to iteration. -O1 compiles it in
# three quarters of the time of -O2 and changes no answer, because neither reorders arithmetic. What is called from one
# place only is not compiled into it: a tenth less again.
function(ddlsim_light name)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>
                         $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-fno-inline-functions-called-once>)
endfunction()

# ddlsim_library(NAME [LIGHT] FOLDERS ... LINK ...): a static library of all sources of these folders, with the project's
# options. Groups of up to 24 start a third as often, at 0.8 s each for the precompiled headers alone, and compile a third as
# often what they share, in up to 1.4 GB; the sanitizers would need more.
function(ddlsim_library name)
  cmake_parse_arguments(LIB "LIGHT" "" "FOLDERS;LINK" ${ARGN})
  list(TRANSFORM LIB_FOLDERS APPEND "/*.cpp")
  file(GLOB sources CONFIGURE_DEPENDS ${LIB_FOLDERS})
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC ddlsim_options ${LIB_LINK})
  ddlsim_precompile(${name} program)
  if(NOT DDLSIM_SANITIZE)
    list(LENGTH sources count)
    math(EXPR groups "(${count} + 23) / 24")
    math(EXPR in_each "(${count} + ${groups} - 1) / ${groups}") # of about one size
    ddlsim_group(${name} ${in_each})
  endif()
  if(LIB_LIGHT)
    ddlsim_light(${name})
  endif()
endfunction()

# Whether tests of that kind (SANITIZED or not) belong to this build.
function(ddlsim_tested_here result sanitized)
  if(DDLSIM_TESTS_ONCE AND ((sanitized AND NOT DDLSIM_SANITIZE) OR (DDLSIM_SANITIZE AND NOT sanitized)))
    set(${result} FALSE PARENT_SCOPE)
  else()
    set(${result} TRUE PARENT_SCOPE)
  endif()
endfunction()

# ddlsim_test(FOLDER [SANITIZED] LINK ...): the sources of tests/FOLDER as one Catch2 program whose cases become ctest cases.
# SANITIZED: with DDLSIM_TESTS_ONCE they are run under the sanitizers, and not in other builds.
function(ddlsim_test folder)
  cmake_parse_arguments(TEST "SANITIZED" "" "LINK;WITHOUT" ${ARGN})
  ddlsim_tested_here(here ${TEST_SANITIZED})
  if(NOT here)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  foreach(source ${TEST_WITHOUT})
    list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${source})
  endforeach()
  set(name ${folder}_test)
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE ddlsim_catch_main ${TEST_LINK})
  ddlsim_precompile(${name} test)
  ddlsim_light(${name})
  add_dependencies(test_programs ${name})
  set(hangs_after_s 900) # the slowest case runs 1,024 ranks with every message, two minutes on an idle machine
  if(DDLSIM_SANITIZE) # which switches actors by threads: up to 60 times as long
    set(hangs_after_s 1800)
  endif()
  catch_discover_tests(${name} TEST_PREFIX "${name}: " PROPERTIES TIMEOUT ${hangs_after_s})
endfunction()
