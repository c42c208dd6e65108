#pragma once
#include <filesystem>
#include <string>

namespace ddltrain {

/// Writes `text` to `file` so that a reader sees the old file or the whole new one: into a temporary name beside it,
/// then renamed. A device or pipe is written directly. Throws RunError naming the file and the cause.
void write_output_file(const std::filesystem::path& file, const std::string& text);

} // namespace ddltrain
