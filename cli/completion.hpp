#pragma once
// What a shell offers when Tab is pressed after `ddlsim ...`.

#include "sim/formats/data_folder.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace ddlsim {

/// The words that the last of `words` may become, one a line, sorted: commands, options of the command, or values of an
/// option or argument that takes one of a known set of names. "" where any file may stand. `words`: what stands after
/// "ddlsim", the last one as far as it is typed. A folder without data offers no names of files in it.
std::string completions(const CLI::App& app, const std::vector<std::string>& words, const DataFolder& data);

} // namespace ddlsim
