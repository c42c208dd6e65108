#include "import/log_source.hpp"

#include "import/launcher_prefix.hpp"
#include "import/plain_text.hpp"
#include "sim/base/error.hpp"
#include "sim/base/json.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {
namespace {

/// bytes of the buffer, and of the longest line that is returned in one part
constexpr std::size_t buffer_bytes = 1U << 20U;
constexpr char escape = '\x1B';
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// Whether the character ends a line or a state of a progress bar. Bars return to the beginning of the line by a
/// carriage return or backspaces and overwrite it.
bool ends_piece(char letter) {
  return letter == '\n' || letter == '\r' || letter == '\b';
}

bool needs_cleaning(std::string_view line) {
  return std::any_of(line.begin(), line.end(), [](char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return byte >= 0x80 || byte == 0 || letter == escape;
  });
}

/// Returns the length of a terminal's escape sequence (ECMA-48): CSI such as "\x1B[31m", OSC such as "\x1B]0;title\a",
/// and two bytes for others.
std::size_t escape_bytes(std::string_view text) {
  if (text.size() < 2) return text.size();
  if (text[1] != '[' && text[1] != ']') return 2;
  const bool is_title = text[1] == ']';
  std::size_t at = 2;
  while (at < text.size() && (is_title ? text[at] != '\a' && text[at] != escape : text[at] < '@' || text[at] > '~'))
    ++at;
  return std::min(text.size(), at + 1);
}

/// Appends the text without escape sequences and zero bytes. Bytes that are not UTF-8 become a question mark.
void append_clean(std::string_view text, std::string& to) {
  for (std::size_t at = 0; at < text.size();) {
    const auto rest = text.substr(at);
    if (rest.front() == escape) {
      at += escape_bytes(rest);
      continue;
    }
    const auto letter_bytes = utf8_letter_bytes(rest);
    if (letter_bytes == 0) to += '?';
    if (letter_bytes > 0 && rest.front() != '\0') to += rest.substr(0, letter_bytes);
    at += std::max<std::size_t>(1, letter_bytes);
  }
}

void refuse_what_is_no_text(std::string_view head, const std::filesystem::path& name) {
  if (head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF"))
    throw UserError(name.string(), "",
                    "found UTF-16 text, expected UTF-8; save it as 'CSV UTF-8' or plain text in UTF-8");
  if (head.find_first_not_of(" \t\r\n") == std::string_view::npos && head.size() < buffer_bytes)
    throw UserError(name.string(), "", "found an empty file, expected measurements");
}

} // namespace

LogSource::LogSource(const std::filesystem::path& file)
    : name_(file == "-" ? std::filesystem::path("standard input") : file), bytes_(open_unpacked(file)) {
  fill();
  if (head().starts_with(byte_order_mark)) begin_ = byte_order_mark.size();
  refuse_what_is_no_text(head(), name_);
}

/// Moves the unread rest to the beginning of the buffer, and fills the buffer. Returns false if nothing could be read.
bool LogSource::fill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  const auto had = buffer_.size();
  if (all_read_ || had >= buffer_bytes) return false;
  buffer_.resize(buffer_bytes);
  const auto got = bytes_->read(buffer_.data() + had, buffer_bytes - had);
  buffer_.resize(had + got);
  all_read_ = had + got < buffer_bytes;
  return got > 0;
}

/// Returns the text up to the next end of a line or of a bar's state, and sets ends_line_.
std::string_view LogSource::next_piece() {
  auto end = begin_;
  while (true) {
    while (end < buffer_.size() && !ends_piece(buffer_[end])) ++end;
    const bool is_found = end < buffer_.size();
    const bool may_be_two = is_found && buffer_[end] == '\r' && end + 1 == buffer_.size();
    if ((is_found && !may_be_two) || all_read_) break;
    const auto length = end - begin_;
    if (!fill()) break;
    end = begin_ + length;
  }
  const auto piece = std::string_view(buffer_).substr(begin_, end - begin_);
  const bool two = end + 1 < buffer_.size() && buffer_[end] == '\r' && buffer_[end + 1] == '\n';
  ends_line_ = end < buffer_.size() && (two || buffer_[end] == '\n');
  begin_ = std::min(buffer_.size(), end + (two ? 2 : 1));
  return piece;
}

std::optional<LogLine> LogSource::next_line() {
  while (begin_ < buffer_.size() || fill()) {
    if (ends_line_) ++number_;
    auto piece = next_piece();
    if (piece.empty() && !ends_line_) continue;
    if (needs_cleaning(piece)) {
      clean_.clear();
      append_clean(piece, clean_);
      piece = clean_;
    }
    const auto bare = without_prefix(piece);
    return LogLine{bare.text, number_, bare.rank};
  }
  return std::nullopt;
}

std::string_view LogSource::next_part() {
  if (begin_ >= buffer_.size()) fill();
  const auto part = head();
  begin_ = buffer_.size();
  return part;
}

std::string LogSource::text() {
  std::string all;
  for (auto part = next_part(); !part.empty() && all.size() <= max_document_bytes; part = next_part()) all += part;
  if (all.size() > max_document_bytes)
    throw UserError(name_.string(), "",
                    fmt::format("found more than {} bytes, which are too many for a file of this kind; split it",
                                max_document_bytes));
  refuse_unreadable(all, name_.string());
  return all;
}

std::streambuf::int_type LogStream::underflow() {
  part_ = source_.next_part();
  setg(part_.data(), part_.data(), part_.data() + part_.size());
  return part_.empty() ? std::streambuf::traits_type::eof() : std::streambuf::traits_type::to_int_type(part_.front());
}

} // namespace ddlsim
