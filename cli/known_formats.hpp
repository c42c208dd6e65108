#pragma once
// The formats of all modules, which `ddlsim schema` prints.

#include "sim/formats/file_formats.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Returns the kinds of files first, then the answers that commands print with --json.
std::vector<FileFormat> known_formats();

/// Their names: "scenario", "cluster", ...
std::vector<std::string> names_of_formats();

} // namespace ddlsim
