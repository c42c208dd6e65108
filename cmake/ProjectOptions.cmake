# What every target of the project is compiled with. Results must be the same bytes on every machine:
# no -march=native, no fused multiply-add behind our back (-ffp-contract=off).
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

add_library(ddlsim_options INTERFACE)
target_compile_options(ddlsim_options INTERFACE
  -Wall -Wextra -Wpedantic -Werror -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-qual -Wfloat-conversion
  -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(ddlsim_options INTERFACE -Wno-restrict) # false alarm on std::string + "text" (GCC bug 105651)
endif()
target_include_directories(ddlsim_options INTERFACE ${CMAKE_SOURCE_DIR})

if(DDLSIM_SANITIZE)
  target_compile_options(ddlsim_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined
                         -fno-omit-frame-pointer)
  target_link_options(ddlsim_options INTERFACE -fsanitize=address,undefined)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(ddlsim_options INTERFACE -Wno-maybe-uninitialized) # ghosts in std::regex and Catch2 (GCC 12)
  endif()
endif()

# ddlsim_library(NAME SOURCES... LINK ...): a static library with the project's options.
function(ddlsim_library name)
  cmake_parse_arguments(LIB "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${LIB_SOURCES})
  target_link_libraries(${name} PUBLIC ddlsim_options ${LIB_LINK})
endfunction()

# ddlsim_test(NAME SOURCES... LINK ...): a Catch2 program whose cases become ctest cases.
function(ddlsim_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE ddlsim_catch_main ${TEST_LINK})
  target_compile_definitions(${name} PRIVATE DDLSIM_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  catch_discover_tests(${name} TEST_PREFIX "${name}: " PROPERTIES TIMEOUT 300)
endfunction()
