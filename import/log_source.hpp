#pragma once
// A user's file as an importer reads it: as one text, or line by line, whatever its length is.

#include "import/byte_stream.hpp"

#include <filesystem>
#include <istream>
#include <memory>
#include <optional>
#include <streambuf>
#include <string>
#include <string_view>

namespace ddlsim {

/// One line of a log, without what launchers and terminals add.
struct LogLine {
  std::string_view text; ///< the text, which is valid until the next call of next_line()
  int number = 0;        ///< number of the line in an editor; the overwritten states of a progress bar share one number
  int rank = -1;         ///< rank of the printing process, by the launcher (torchrun, mpirun, srun -l); -1: not stated
};

/// A plain file, a file that gzip or zstd compressed, or standard input ("-"). It can be read once: as lines, as parts,
/// or as one text.
class LogSource {
public:
  /// Throws UserError as open_unpacked() does, and for UTF-16 and a file without text.
  explicit LogSource(const std::filesystem::path& file);

  /// Returns the name for messages and for the records' source; "standard input" for "-".
  const std::filesystem::path& name() const { return name_; }

  /// Returns the beginning of the text, up to a mebibyte, by which its kind is guessed. Call it before the first line
  /// is read.
  std::string_view head() const { return std::string_view(buffer_).substr(begin_); }

  /// Returns the next line, or the next state of a progress bar; nothing at the end. Colour codes are removed, and
  /// bytes that are not UTF-8 become question marks. A line longer than a mebibyte is split.
  std::optional<LogLine> next_line();

  /// Returns the next bytes unchanged, up to a mebibyte; empty at the end. They are valid until the next call.
  std::string_view next_part();

  /// Returns the whole text. Throws UserError if it is not UTF-8, has zero bytes, or is larger than max_document_bytes.
  std::string text();

private:
  std::string_view next_piece();
  bool fill();

  std::filesystem::path name_;
  std::unique_ptr<ByteStream> bytes_;
  std::string buffer_;    ///< bytes that were read; those from begin_ on were not returned yet
  std::string clean_;     ///< text of the line that was returned, if it had to be cleaned
  std::size_t begin_ = 0; ///< position in buffer_
  bool all_read_ = false; ///< whether the rest of the file is in the buffer
  bool ends_line_ = true; ///< whether the piece that was returned last ended its line
  int number_ = 0;
};

/// A source as a std::istream, for parsers that need one. The source must outlive it.
class LogStream : private std::streambuf, public std::istream {
public:
  explicit LogStream(LogSource& source) : std::istream(this), source_(source) {}

private:
  std::streambuf::int_type underflow() override;

  LogSource& source_;
  std::string part_;
};

} // namespace ddlsim
