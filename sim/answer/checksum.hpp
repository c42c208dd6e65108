#pragma once

#include <filesystem>
#include <string>

namespace ddlsim {

/// 64-bit FNV-1a of a file's bytes (Fowler, Noll and Vo), 16 hexadecimal digits: tells that an input changed, guards
/// against nothing else.
std::string fnv1a_of_file(const std::filesystem::path& file);

} // namespace ddlsim
