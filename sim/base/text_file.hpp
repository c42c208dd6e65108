#pragma once
// Text files, which are read line by line with bounded memory, and written whole or not at all.

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace ddlsim {

/// Bytes of the longest line of JSON Lines; our lines stay below 1 KiB.
inline constexpr std::size_t max_line_bytes = 1U << 20U;

struct CloseFile {
  void operator()(std::FILE* stream) const { std::fclose(stream); }
};
using InputFile = std::unique_ptr<std::FILE, CloseFile>;

/// Opens a plain file. Throws UserError when the file is missing (with the nearest name beside it), is a folder or a
/// device, or may not be read.
InputFile open_text_file(const std::filesystem::path& file);

/// Reads lines from a file of any length. It needs memory for the longest allowed line only.
class LineReader {
public:
  enum class Result { line, too_long, end };

  explicit LineReader(const std::filesystem::path& file) : file_(file), stream_(open_text_file(file)) {}
  /// Reads the next line without its line end. Of a line that is too long it returns the beginning.
  Result next(std::string& line);

private:
  std::filesystem::path file_;
  InputFile stream_;
  bool inside_long_line_ = false; ///< the next call skips the rest of that line
};

/// Writes to a temporary file beside `file` and renames it, so that `file` is either whole or unchanged. Throws
/// UserError when the folder is missing, not writable or full. It writes into a device or pipe directly.
void write_file(const std::filesystem::path& file, const std::string& content);

/// 64-bit FNV-1a checksum (Fowler, Noll and Vo). It shows that an input has changed; it does not protect against
/// forgery.
class Fnv1a {
public:
  void take(std::string_view bytes);
  /// adds all bytes of the file; throws UserError where it cannot be read
  void take_file(const std::filesystem::path& file);
  std::string text() const; ///< the checksum in 16 hexadecimal digits

private:
  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

std::string fnv1a_of_file(const std::filesystem::path& file);

} // namespace ddlsim
