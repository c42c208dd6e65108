#pragma once
// The bytes of a user's file, decompressed where it is compressed with gzip or zstd.

#include <cstddef>
#include <filesystem>
#include <memory>

namespace ddlsim {

/// Bytes in their order, a part at a time.
class ByteStream {
public:
  ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream() = default;
  /// Up to `bytes` of the bytes that follow; fewer than that only at the end. Throws UserError where the file cannot be
  /// read, or is packed and broken.
  virtual std::size_t read(char* to, std::size_t bytes) = 0;
};

/// FILE as it was before gzip or zstd packed it, whatever its name says; "-" is standard input. Throws UserError as
/// open_text_file(), and for a file that another program packed.
std::unique_ptr<ByteStream> open_unpacked(const std::filesystem::path& file);

} // namespace ddlsim
