#pragma once
// The kinds of files that ddlsim reads, each with its table of fields: what `ddlsim schema` prints.

#include "sim/formats/value_shape.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace ddlsim {

struct FileFormat {
  std::string name;  ///< as `ddlsim schema NAME` has it: "gpus"
  std::string title; ///< a few words
  std::string where; ///< where such files lie
  ValueShape root;   ///< an object, or one of several kinds of lines
};

FileFormat model_format();
FileFormat gpus_format();
FileFormat convergence_format();
FileFormat measurement_format();
FileFormat inputs_format();
FileFormat presets_format();
FileFormat cluster_format();
FileFormat scenario_format();
FileFormat plan_request_format();

/// In the order in which a user meets them.
std::vector<FileFormat> file_formats();

/// The whole schema of such files (JSON Schema, draft 7), which editors read.
nlohmann::ordered_json json_schema(const FileFormat& format);

} // namespace ddlsim
