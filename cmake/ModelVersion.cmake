# The model version is a checksum of the sources of model and fit: a calibration that other sources made is not used.
# ddlsim_model_version(TARGET): the function model_version() for the target. What only makes texts and pages is no part
# of it, nor are build type, compiler or commit. Run with -P, the file writes the source.
if(CMAKE_SCRIPT_MODE_FILE)
  set(all "")
  foreach(source ${SOURCES})
    file(SHA256 ${ROOT}/${source} checksum)
    string(APPEND all "${source} ${checksum}\n")
  endforeach()
  string(SHA256 version "${all}")
  string(SUBSTRING ${version} 0 16 version)
  file(WRITE ${OUTPUT} "#include \"calibrate/cache/fit_inputs.hpp\"\n\nnamespace ddlsim {\n\n"
       "std::string model_version() {\n  return \"${version}\";\n}\n\n} // namespace ddlsim\n")
  return()
endif()

function(ddlsim_model_version target)
  set(patterns "")
  foreach(module base formats network compute collective library parameter_server neighbours simgrid iteration predict)
    list(APPEND patterns sim/${module}/*.cpp sim/${room}/*.hpp sim/${room}/*.def)
  endforeach()
  foreach(module data fit cache)
    list(APPEND patterns calibrate/${module}/*.cpp calibrate/${room}/*.hpp)
  endforeach()
  list(TRANSFORM patterns PREPEND ${CMAKE_SOURCE_DIR}/)
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ${patterns})
  list(FILTER sources EXCLUDE REGEX "/(report[._]|prediction_sentences|table[.]|chart)|_text[.]")
  list(SORT sources)
  set(files ${sources})
  list(TRANSFORM files PREPEND ${CMAKE_SOURCE_DIR}/)
  set(output ${CMAKE_BINARY_DIR}/model_version.cpp)
  add_custom_command(OUTPUT ${output} VERBATIM COMMENT "The version of model and fit"
                     COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_SOURCE_DIR} "-DSOURCES=${sources}" -DOUTPUT=${output}
                             -P ${CMAKE_SOURCE_DIR}/cmake/ModelVersion.cmake
                     DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/ModelVersion.cmake)
  target_sources(${target} PRIVATE ${output})
  # An edit of any source compiles this one again, and it alone.
  set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
endfunction()
