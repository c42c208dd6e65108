# What `cmake --install`, the Debian package and the Python wheel put where. Components:
#   program      ddlsim, its data and calibrations (../share/ddlsim seen from the program), man pages, completions, a module file
#   development  libraries, headers and a CMake package: find_package(ddlsim)
include(GNUInstallDirs)

if(DDLSIM_PROGRAM)
  install(PROGRAMS ${DDLSIM_PROGRAM} DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME ddlsim COMPONENT program)
else()
  install(TARGETS ddlsim RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endif()
install(DIRECTORY platforms scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/ddlsim COMPONENT program
        PATTERN tools EXCLUDE PATTERN convert EXCLUDE PATTERN held-out EXCLUDE)
install(FILES VERSION packaging/smoke_test.sh DESTINATION ${CMAKE_INSTALL_DATADIR}/ddlsim COMPONENT program)
install(FILES docs/glossary.md DESTINATION ${CMAKE_INSTALL_DATADIR}/ddlsim/docs COMPONENT program) # `ddlsim explain`
# The calibrations that the program looks for first: made when they are installed, from those that the build folder keeps
# and by fits for the rest, so that no build waits for them. OFF: each is fitted when it is first needed.
option(DDLSIM_INSTALL_CALIBRATIONS "Fit every cluster for an installation, which takes minutes" ON)
if(DDLSIM_INSTALL_CALIBRATIONS)
  if(DDLSIM_PROGRAM)
    set(fitter ${DDLSIM_PROGRAM})
  else()
    set(fitter $<TARGET_FILE:ddlsim>)
  endif()
  set(kept "")
  if(DDLSIM_PORTABLE) # which knows no checkout
    set(kept "\"DDLSIM_CACHE=${CMAKE_SOURCE_DIR}/build/calibrations\"")
  endif()
  install(CODE "file(REMOVE_RECURSE \"${CMAKE_BINARY_DIR}/shipped-calibrations\")
                execute_process(COMMAND ${CMAKE_COMMAND} -E env ${kept} \"${fitter}\" calibrate --all --data \"${CMAKE_SOURCE_DIR}\"
                  --output \"${CMAKE_BINARY_DIR}/shipped-calibrations\" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)" COMPONENT program)
  install(DIRECTORY ${CMAKE_BINARY_DIR}/shipped-calibrations/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ddlsim/calibrations
          COMPONENT program)
endif()
install(FILES README.md LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(FILES packaging/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program FILES_MATCHING PATTERN "*.md" PATTERN "*.svg"
        PATTERN "*.ipynb" PATTERN "examples/*")
if(DDLSIM_PORTABLE) # what is linked into the program
  install(CODE "execute_process(COMMAND \"${CMAKE_SOURCE_DIR}/packaging/licences.sh\" \"${CMAKE_SOURCE_DIR}/build/libraries\"
                  \"${CMAKE_BINARY_DIR}/licences\" COMMAND_ERROR_IS_FATAL ANY)" COMPONENT program)
  install(DIRECTORY ${CMAKE_BINARY_DIR}/licences DESTINATION ${CMAKE_INSTALL_DATADIR}/ddlsim COMPONENT program)
endif()
install(FILES packaging/completions/ddlsim.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME ddlsim COMPONENT program)
install(FILES packaging/completions/_ddlsim DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT program)
install(FILES packaging/completions/ddlsim.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
        COMPONENT program)
configure_file(packaging/modulefile.in ${CMAKE_BINARY_DIR}/modulefile @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/modulefile DESTINATION ${CMAKE_INSTALL_DATADIR}/modulefiles/ddlsim
        RENAME ${PROJECT_VERSION} COMPONENT program)

# Man pages where help2man is, which runs the program; made when they are installed, so that no build waits for them.
find_program(HELP2MAN help2man)
if(HELP2MAN AND NOT DDLSIM_PROGRAM)
  install(CODE "execute_process(COMMAND \"${CMAKE_SOURCE_DIR}/packaging/man_pages.sh\" \"$<TARGET_FILE:ddlsim>\" ${PROJECT_VERSION}
                  \"${CMAKE_BINARY_DIR}/man\" COMMAND_ERROR_IS_FATAL ANY)" COMPONENT program)
  install(DIRECTORY ${CMAKE_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
endif()

if(DDLSIM_PROGRAM) # libraries and packages are of a build
  return()
endif()

include(CMakePackageConfigHelpers)
# The libraries that a C++ program may use, by module: all but those of the command line.
set(libraries base formats network compute collective libraries parameter_server neighbours simgrid iteration predict
    import calibrate plan diagnose)
list(TRANSFORM libraries PREPEND ddlsim_)
install(TARGETS ${libraries} ddlsim_options EXPORT ddlsim ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(EXPORT ddlsim NAMESPACE ddlsim:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ddlsim FILE ddlsimTargets.cmake
        COMPONENT development)
install(DIRECTORY sim import calibrate plan diagnose DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ddlsim COMPONENT development
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.def")
configure_package_config_file(cmake/ddlsimConfig.cmake.in ${CMAKE_BINARY_DIR}/ddlsimConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ddlsim
                              PATH_VARS CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/ddlsimConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/ddlsimConfig.cmake ${CMAKE_BINARY_DIR}/ddlsimConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ddlsim COMPONENT development)

# `cpack --config build/release/CPackConfig.cmake`: ddlsim_VERSION_ARCH.deb.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_CONTACT "the authors of ddlsim <ddlsim@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "predicts how fast distributed deep-learning training runs on a cluster")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "ddlsim predicts throughput and scaling of distributed deep-learning training, with ring
 all-reduce or parameter servers, on a cluster one does not have yet, with a 90 % interval on each number.")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME ddlsim)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
include(CPack)
