#include "sim/base/error.hpp"
#include "sim/base/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <utility>

namespace ddlsim {

namespace {

using nlohmann::json;

/// Returns "line 3, column 7" for the position of a byte; columns count characters. For a line of JSON Lines it returns
/// only the column.
std::string position_text(std::string_view text, std::size_t byte, bool single_line) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const auto is_first_byte = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  const auto column =
      1 + std::count_if(before.begin() + static_cast<std::ptrdiff_t>(line_start), before.end(), is_first_byte);
  if (single_line) return fmt::format("column {}", column);
  return fmt::format("line {}, column {}", 1 + std::count(before.begin(), before.end(), '\n'), column);
}

/// Number of bytes of the UTF-8 character at `at`; 0 when there is none (RFC 3629: shortest form, no surrogates, up to
/// U+10FFFF).
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const auto tail = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return tail(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) > 0x9F;
    return tail(1) && tail(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool outside = (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F);
    return tail(1) && tail(2) && tail(3) && !outside ? 4 : 0;
  }
  return 0;
}

/// Position of the first byte from `at` on that is 0 or not ASCII. Eight bytes are tested at a time.
std::size_t after_ascii(std::string_view text, std::size_t at) {
  constexpr std::uint64_t ones = 0x0101010101010101U;
  constexpr std::uint64_t high_bits = 0x8080808080808080U;
  for (std::uint64_t eight = 0; at + sizeof eight <= text.size(); at += sizeof eight) {
    std::memcpy(&eight, text.data() + at, sizeof eight);
    if (((eight | (eight - ones)) & high_bits) != 0) break; // a byte above 0x7F, or a 0 that borrowed
  }
  while (at < text.size() && text[at] > '\0') ++at;
  return at;
}

void check_text(const std::string& text, const std::string& where, bool single_line) {
  for (std::size_t at = after_ascii(text, 0); at < text.size(); at = after_ascii(text, at)) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0 || text[at] == '\0') {
      throw UserError(where, "",
                      fmt::format("byte 0x{:02x} at {} is not UTF-8 text; save the file as UTF-8",
                                  static_cast<unsigned char>(text[at]), position_text(text, at, single_line)));
    }
    at += length;
  }
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw UserError(where, "", "the file is empty; a JSON object is expected (`ddlsim schema --help` names the kinds)");
}

/// Largest number of values in a document, in all its lists and objects together. The largest shipped document has
/// 23,000. "{}," takes three bytes of a file and a hundred bytes of memory.
constexpr std::size_t max_document_values = 2'000'000;

/// Builds the document during parsing, so that repeated keys are noticed and depth and size are bounded before memory
/// is used.
class Builder {
public:
  Builder(const std::string& text, std::string where, bool single_line)
      : text_(text), where_(std::move(where)), single_line_(single_line), mistakes_(where_) {}

  // the events that nlohmann::json::sax_parse calls
  bool null() { return put(nullptr); }
  bool boolean(bool value) { return put(value); }
  bool number_integer(json::number_integer_t value) { return put(value); }
  bool number_unsigned(json::number_unsigned_t value) { return put(value); }
  bool number_float(json::number_float_t value, const std::string& /*literal*/) { return put(value); }
  bool string(std::string& value) { return put(std::move(value)); }
  bool binary(json::binary_t& /*value*/) { return false; }
  bool start_object(std::size_t /*size*/) { return open(json::object()); }
  bool start_array(std::size_t /*size*/) { return open(json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    Level& level = levels_.back();
    level.key = std::move(name);
    auto& members = level.value->get_ref<json::object_t&>();
    const auto [member, is_new] = members.try_emplace(level.key);
    if (!is_new) mistakes_.add(pointer(), "the key is there twice; keep one of the two");
    level.member = &member->second;
    return true;
  }
  bool parse_error(std::size_t position, const std::string& token, const json::exception& error);

  json take() {
    mistakes_.throw_if_any();
    return std::move(root_);
  }

private:
  struct Level {
    json* value;
    std::string key;
    json* member = nullptr; ///< place of the value of `key` in an object
  };

  json* place(json&& value) {
    if (++values_ > max_document_values)
      throw UserError(where_, "", fmt::format("more than {} values found; split the file", max_document_values));
    if (levels_.empty()) return &(root_ = std::move(value));
    Level& level = levels_.back();
    if (level.value->is_array()) return &level.value->emplace_back(std::move(value));
    return &(*level.member = std::move(value));
  }
  template <class Value> bool put(Value&& value) {
    place(json(std::forward<Value>(value)));
    return true;
  }
  bool open(json&& container) {
    if (levels_.size() >= static_cast<std::size_t>(max_document_depth)) {
      throw UserError(where_, "",
                      fmt::format("lists and objects are nested deeper than {} levels; ddlsim's files need 6, "
                                  "check the brackets",
                                  max_document_depth));
    }
    levels_.push_back({place(std::move(container)), ""});
    return true;
  }
  bool close() {
    levels_.pop_back();
    return true;
  }
  std::string pointer() const {
    json::json_pointer path;
    for (const auto& level : levels_) {
      if (level.value->is_array()) {
        path /= level.value->size() - 1;
      } else {
        path /= level.key;
      }
    }
    return path.to_string();
  }

  const std::string& text_;
  std::string where_;
  bool single_line_;
  Mistakes mistakes_;
  json root_;
  std::vector<Level> levels_;
  std::size_t values_ = 0;
};

/// Returns the part "expected '}'" of the parser's message; "" when the message has no such part.
std::string expected_text(const std::string& words) {
  const auto at = words.rfind("; expected ");
  return at == std::string::npos ? "" : words.substr(at + 2);
}

/// The word, number or character at which the parser failed when it had read `read` bytes.
std::string_view faulty_token(std::string_view text, std::size_t read) {
  const auto in_word = [&](std::size_t i) {
    const char c = text[i];
    return (std::isalnum(static_cast<unsigned char>(c)) != 0) || c == '+' || c == '-' || c == '.' || c == '_';
  };
  if (read == 0 || read > text.size()) return text.substr(text.size());
  std::size_t start = read - 1;
  if (!in_word(start)) return text.substr(start, std::max<std::size_t>(utf8_length(text, start), 1));
  std::size_t end = read;
  while (start > 0 && in_word(start - 1)) --start;
  while (end < text.size() && in_word(end)) ++end;
  return text.substr(start, end - start);
}

/// Whether the token is NaN, Infinity or one of their other spellings.
bool is_not_finite(std::string_view token) {
  std::string word;
  for (const char c : token)
    if (c != '-' && c != '+') word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word == "nan" || word == "inf" || word == "infinity";
}

bool Builder::parse_error(std::size_t position, const std::string& /*token*/, const json::exception& error) {
  constexpr int number_overflow = 406; // number of nlohmann::json's error out_of_range
  const std::string expected = expected_text(error.what());
  const std::string_view token = faulty_token(text_, position);
  const auto start = static_cast<std::size_t>(token.data() - text_.data());
  const std::string at = position_text(text_, start, single_line_);
  std::string what;
  if (error.id == number_overflow) {
    what = fmt::format("{}: the number {} is too large to hold; check its exponent", at, in_quotes(token));
  } else if (is_not_finite(token)) {
    what = fmt::format("{}: NaN and infinity are not numbers of JSON; leave the field out when its value is not known",
                       at);
  } else if (position > text_.size()) {
    what = fmt::format("the text ends too early, at {}{}{}; is the file truncated?", at, expected.empty() ? "" : ": ",
                       expected);
  } else {
    what = fmt::format("{}: not JSON at {}{}{}; check commas, quotes and brackets", at, in_quotes(token),
                       expected.empty() ? "" : ", ", expected);
  }
  mistakes_.add("", what);
  return false;
}

json parse(const std::string& text, const std::string& where, bool single_line) {
  check_text(text, where, single_line);
  Builder builder(text, where, single_line);
  json::sax_parse(text, &builder);
  return builder.take();
}

} // namespace

json parse_json(const std::string& text, const std::string& where) {
  return parse(text, where, false);
}

json parse_json_line(const std::string& text, const std::string& where) {
  return parse(text, where, true);
}

} // namespace ddlsim
