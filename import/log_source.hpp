#pragma once
// A file that somebody brings, as an importer reads it: as one text, or line by line however long it is.

#include "import/byte_stream.hpp"

#include <filesystem>
#include <istream>
#include <memory>
#include <optional>
#include <streambuf>
#include <string>
#include <string_view>

namespace ddlsim {

/// One line of a log, without what launchers and terminals added to it.
struct LogLine {
  std::string_view text; ///< until the next call of next_line()
  int number = 0;        ///< as an editor counts: states of a progress bar that overwrite each other share one
  int rank = -1;         ///< that the launcher says printed it (torchrun, mpirun, srun -l); -1: not said
};

/// Plain, packed by gzip or zstd, or standard input ("-"). It is read once: as lines, as parts, or as one text.
class LogSource {
public:
  /// Throws UserError as open_unpacked(), for UTF-16 and for a file without text.
  explicit LogSource(const std::filesystem::path& file);

  /// For messages and as the records' source: "standard input" for "-".
  const std::filesystem::path& name() const { return name_; }

  /// Up to the first mebibyte of the text, by which its kind is guessed. Before the first line is read.
  std::string_view head() const { return std::string_view(buffer_).substr(begin_); }

  /// The next line, or state of a progress bar; nothing at the end. Colour codes are taken out, and bytes that are no
  /// UTF-8 are question marks. A line longer than a mebibyte comes in parts.
  std::optional<LogLine> next_line();

  /// The next bytes as they are, up to a mebibyte, until the next call; none at the end.
  std::string_view next_part();

  /// All of it. Throws UserError where it is not UTF-8, has zero bytes, or is larger than max_document_bytes.
  std::string text();

private:
  std::string_view next_piece();
  bool fill();

  std::filesystem::path name_;
  std::unique_ptr<ByteStream> bytes_;
  std::string buffer_;    ///< what is read and not yet given out, from begin_
  std::string clean_;     ///< the line given out, where it had to be cleaned
  std::size_t begin_ = 0; ///< in buffer_
  bool all_read_ = false; ///< the rest is in the buffer
  bool ends_line_ = true; ///< the piece given out last
  int number_ = 0;
};

/// A source as a stream, for parsers that take one. The source outlives it.
class LogStream : private std::streambuf, public std::istream {
public:
  explicit LogStream(LogSource& source) : std::istream(this), source_(source) {}

private:
  std::streambuf::int_type underflow() override;

  LogSource& source_;
  std::string part_;
};

} // namespace ddlsim
