#pragma once
// The kinds of files that ddlsim reads or writes, each with its table of fields, which `ddlsim schema` prints.

#include "sim/formats/value_shape.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace ddlsim {

struct FileFormat {
  std::string name;       ///< argument of `ddlsim schema NAME`: "gpus"
  std::string title;      ///< a few words
  std::string where;      ///< folder or path of such files
  ValueShape root;        ///< an object, or one of several kinds of lines
  bool is_answer = false; ///< a command prints it; no command reads it
};

FileFormat model_format();
FileFormat gpus_format();
FileFormat kernels_format();
FileFormat kernel_rates_format();
FileFormat convergence_format();
FileFormat measurement_format();
FileFormat inputs_format();
FileFormat presets_format();
FileFormat cluster_format();
FileFormat scenario_format();
FileFormat plan_request_format();

FileFormat priors_format();
FileFormat calibration_format();
FileFormat glossary_format();

/// The formats of this module, in the order in which a user meets these files. The other modules have formats of their
/// own answers (cli/known_formats.hpp).
std::vector<FileFormat> file_formats();

/// Returns the whole schema of such files (JSON Schema, draft 7), which editors can use.
nlohmann::ordered_json json_schema(const FileFormat& format);

} // namespace ddlsim
