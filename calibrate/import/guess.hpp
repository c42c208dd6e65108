#pragma once
// What kind of file is it? `ddlsim import FILE` without a kind.

#include <filesystem>
#include <string>

namespace ddlsim {

/// The kind of `ddlsim import` that reads such a file: of importers(), or "hf-config"; "" for none. Throws UserError as
/// read_utf8_file().
std::string guess_kind(const std::filesystem::path& file);

} // namespace ddlsim
