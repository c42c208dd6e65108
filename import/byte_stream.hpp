#pragma once
// The bytes of a user's file, where gzip and zstd are decompressed.

#include <cstddef>
#include <filesystem>
#include <memory>

namespace ddlsim {

/// A sequence of bytes that is read in parts.
class ByteStream {
public:
  ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream() = default;
  /// Reads up to `bytes` of the bytes that follow, and fewer only at the end. Throws UserError if the file cannot be
  /// read or its compressed data is broken.
  virtual std::size_t read(char* to, std::size_t bytes) = 0;
};

/// Opens FILE and decompresses gzip and zstd, whatever the file's name is; "-" is standard input. Throws UserError as
/// open_text_file() does, and for a file that another program compressed.
std::unique_ptr<ByteStream> open_unpacked(const std::filesystem::path& file);

} // namespace ddlsim
