#pragma once
// What can go wrong for the user, by whose doing; the program's exit status follows.

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace ddltrain {
/// The command line asks for something that cannot be: exit status 2.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The machine did not do what was rightly asked (a file that cannot be written): exit status 1.
class RunError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The name that takes the fewest insertions, deletions and replacements to become `given`; the first of equals.
/// `names` must not be empty.
std::string nearest_name(const std::string& given, const std::vector<std::string>& names);

/// Writes `text` to `file` so that a reader sees the old file or the whole new one: into a temporary name beside it,
/// then renamed. A device or pipe is written directly. Throws RunError naming the file and the cause.
void write_output_file(const std::filesystem::path& file, const std::string& text);

} // namespace ddltrain
