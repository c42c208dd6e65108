#pragma once
// Text files: line by line without trusting their size; written whole or not at all.

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

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

/// Writes to a temporary name beside the file, then renames it, so that the file is whole or as it was. Throws
/// UserError when the folder is missing, not writable or full. A device or pipe is written directly.
void write_file(const std::filesystem::path& file, const std::string& content);

/// 64-bit FNV-1a (Fowler, Noll and Vo): shows that an input changed, guards against nothing else.
class Fnv1a {
public:
  void take(std::string_view bytes);
  void take_file(const std::filesystem::path& file); ///< its bytes, of any number; throws UserError
  std::string text() const;                          ///< 16 hexadecimal digits

private:
  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

std::string fnv1a_of_file(const std::filesystem::path& file);

} // namespace ddlsim
