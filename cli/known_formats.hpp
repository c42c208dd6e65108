#pragma once
// The formats of all modules, which `ddlsim schema` prints.

#include "sim/formats/file_formats.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// The names of the kinds of files, then those of the answers that commands print with --json: "scenario", "cluster",
/// ... Every command lists them in its help, so they are known without making the formats of answers.
std::vector<std::string> names_of_formats();

/// The format with that name; nothing for any other name.
std::optional<FileFormat> format_with_name(const std::string& name);

} // namespace ddlsim
