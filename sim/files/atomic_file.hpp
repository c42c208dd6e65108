#pragma once
// Output that is whole or not there: written to a temporary name beside the file, then renamed.

#include <filesystem>
#include <string>

namespace ddlsim {

/// Throws UserError when the folder is missing, not writable or full; the old file is then left as it was.
void write_file(const std::filesystem::path& file, const std::string& content);

} // namespace ddlsim
