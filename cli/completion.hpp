#pragma once
// Completions that a shell offers when Tab is pressed after `ddlsim ...`.

#include "sim/formats/data_folder.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace ddlsim {

/// Returns the possible completions of the last of `words`, sorted, one on each line: commands, options of the command,
/// or values of an option or argument that takes one of a known set of names. "" if any file may follow. `words` are
/// the words after "ddlsim", the last one as far as it is typed. If the data folder has no data, names from its files
/// are not offered.
std::string completions(const CLI::App& app, const std::vector<std::string>& words, const DataFolder& data);

} // namespace ddlsim
