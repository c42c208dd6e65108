#pragma once
// Reading a file whole or line by line without trusting its size.

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

namespace ddlsim {

/// Longest line of JSON Lines; ours stay below 1 KiB.
inline constexpr std::size_t max_line_bytes = 1U << 20U;

struct CloseFile {
  void operator()(std::FILE* stream) const { std::fclose(stream); }
};
using InputFile = std::unique_ptr<std::FILE, CloseFile>;

/// Opens a plain file, or throws a UserError: missing (with the nearest name beside it), a folder, a device, no
/// permission.
InputFile open_text_file(const std::filesystem::path& file);

/// Lines of a file of any length, in memory for the longest allowed line.
class LineReader {
public:
  enum class Result { line, too_long, end };

  explicit LineReader(const std::filesystem::path& file) : file_(file), stream_(open_text_file(file)) {}
  /// The next line without its end; of a line that is too long the beginning.
  Result next(std::string& line);

private:
  std::filesystem::path file_;
  InputFile stream_;
  bool inside_long_line_ = false; ///< its rest is passed over by the next call
};

} // namespace ddlsim
