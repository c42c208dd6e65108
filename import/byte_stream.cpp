#include "import/byte_stream.hpp"

#include "sim/base/error.hpp"
#include "sim/base/text_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <zlib.h>
#include <zstd.h>

namespace ddlsim {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t packed_part_bytes = 1U << 16U;

[[noreturn]] void refuse_stream(const std::string& name, const std::string& what) {
  throw UserError(name, "", what);
}

/// The bytes of the file itself. Its first bytes can be looked at before they are read.
class FileBytes : public ByteStream {
public:
  explicit FileBytes(const fs::path& file) : name_(file == "-" ? "standard input" : file.string()) {
    if (file != "-") own_ = open_text_file(file);
    stream_ = own_ ? own_.get() : stdin;
    begin_count_ = std::fread(begin_.data(), 1, begin_.size(), stream_);
  }

  std::size_t read(char* to, std::size_t bytes) override {
    const auto from_begin = std::min(bytes, begin_count_ - begin_read_);
    std::memcpy(to, begin_.data() + begin_read_, from_begin);
    begin_read_ += from_begin;
    const auto got = std::fread(to + from_begin, 1, bytes - from_begin, stream_);
    if (std::ferror(stream_) != 0) refuse_stream(name_, fmt::format("cannot be read: {}", std::strerror(errno)));
    return from_begin + got;
  }

  std::string_view begin() const { return {begin_.data(), begin_count_}; }
  const std::string& name() const { return name_; }

private:
  std::string name_;
  InputFile own_; ///< the open file; empty for standard input
  std::FILE* stream_ = nullptr;
  std::array<char, 6> begin_{};
  std::size_t begin_count_ = 0;
  std::size_t begin_read_ = 0;
};

/// Decompresses gzip (RFC 1952), which may have several members one after another.
class GzipBytes : public ByteStream {
public:
  explicit GzipBytes(std::unique_ptr<FileBytes> packed) : packed_(std::move(packed)) {
    constexpr int gzip_window_bits = 15 + 16; // the largest window, with a gzip header
    if (inflateInit2(&state_, gzip_window_bits) != Z_OK) refuse_stream(packed_->name(), "cannot be unpacked");
  }
  ~GzipBytes() override { inflateEnd(&state_); }

  std::size_t read(char* to, std::size_t bytes) override {
    state_.next_out = reinterpret_cast<Bytef*>(to);
    state_.avail_out = static_cast<uInt>(bytes);
    while (state_.avail_out > 0 && !at_end_) {
      const bool has_more = refill();
      if (!has_more && !inside_) break;
      step(has_more);
    }
    return bytes - state_.avail_out;
  }

private:
  bool refill() {
    if (state_.avail_in > 0) return true;
    state_.next_in = reinterpret_cast<Bytef*>(part_.data());
    state_.avail_in = static_cast<uInt>(packed_->read(part_.data(), part_.size()));
    return state_.avail_in > 0;
  }

  void step(bool has_more) {
    if (!has_more) refuse_stream(packed_->name(), "the packed file ends early: is it whole? (gzip -t tells)");
    inside_ = true;
    const int status = inflate(&state_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      inside_ = false;
      any_member_ = true;
      inflateReset(&state_);
    } else if (status != Z_OK && any_member_ && state_.total_out == 0) {
      at_end_ = true; // only padding comes after the last member
    } else if (status != Z_OK) {
      refuse_stream(packed_->name(), "cannot be unpacked: the file is broken (gzip -t tells)");
    }
  }

  std::unique_ptr<FileBytes> packed_;
  z_stream state_{};
  std::array<char, packed_part_bytes> part_{};
  bool inside_ = false; ///< whether a member has begun and not ended
  bool any_member_ = false;
  bool at_end_ = false;
};

/// Decompresses zstd (RFC 8878), which may have several frames one after another.
class ZstdBytes : public ByteStream {
public:
  explicit ZstdBytes(std::unique_ptr<FileBytes> packed) : packed_(std::move(packed)), state_(ZSTD_createDCtx()) {
    if (state_ == nullptr) refuse_stream(packed_->name(), "cannot be unpacked");
  }
  ~ZstdBytes() override { ZSTD_freeDCtx(state_); }

  std::size_t read(char* to, std::size_t bytes) override {
    ZSTD_outBuffer out{to, bytes, 0};
    while (out.pos < out.size) {
      const bool has_more = refill();
      if (!has_more && !inside_) break;
      const auto had = out.pos;
      const auto wants = ZSTD_decompressStream(state_, &out, &in_);
      if (ZSTD_isError(wants) != 0)
        refuse_stream(packed_->name(), "cannot be unpacked: the file is broken (zstd -t tells)");
      inside_ = wants != 0;
      if (!has_more && inside_ && out.pos == had)
        refuse_stream(packed_->name(), "the packed file ends early: is it whole? (zstd -t tells)");
    }
    return out.pos;
  }

private:
  bool refill() {
    if (in_.pos < in_.size) return true;
    in_ = {part_.data(), packed_->read(part_.data(), part_.size()), 0};
    return in_.size > 0;
  }

  std::unique_ptr<FileBytes> packed_;
  ZSTD_DCtx* state_;
  std::array<char, packed_part_bytes> part_{};
  ZSTD_inBuffer in_{part_.data(), 0, 0};
  bool inside_ = false; ///< whether a frame has begun and not ended
};

void refuse_other_packers(const FileBytes& file) {
  const auto begin = file.begin();
  if (begin.starts_with("BZh"))
    refuse_stream(file.name(), "found a file that bzip2 packed; unpack it first (bunzip2 -k)");
  if (begin.starts_with("\xFD"
                        "7zXZ"))
    refuse_stream(file.name(), "found a file that xz packed; unpack it first (unxz -k)");
  if (begin.starts_with("PK\x03\x04"))
    refuse_stream(file.name(), "found a zip archive, which a spreadsheet is, too; save the spreadsheet as CSV, or "
                               "unpack the archive, first");
}

} // namespace

std::unique_ptr<ByteStream> open_unpacked(const fs::path& file) {
  auto bytes = std::make_unique<FileBytes>(file);
  refuse_other_packers(*bytes);
  if (bytes->begin().starts_with("\x1F\x8B")) return std::make_unique<GzipBytes>(std::move(bytes));
  if (bytes->begin().starts_with("\x28\xB5\x2F\xFD")) return std::make_unique<ZstdBytes>(std::move(bytes));
  return bytes;
}

} // namespace ddlsim
