#pragma once
// `ddlsim check FILE`: which format a file has, and whether it keeps it.

#include "sim/formats/data_folder.hpp"

#include <filesystem>
#include <string>

namespace ddlsim {

/// "model resnet50_v1.5: 161 tensors, 25557032 parameters": what the file is, in one line.
/// Throws UserError with every mistake, names of models, clusters, GPUs and presets looked up in `data` among them.
std::string check_file(const std::filesystem::path& file, const DataFolder& data);

} // namespace ddlsim
