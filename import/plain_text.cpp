#include "import/plain_text.hpp"

#include "sim/base/error.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ddlsim {
namespace {

bool is_blank(char letter) {
  return letter == ' ' || letter == '\t';
}

/// Returns the length of the UTF-8 sequence that begins with `first`; 0 if none does.
int sequence_length(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  return first >= 0xF0 && first <= 0xF4 ? 4 : 0;
}

/// Whether UTF-8 forbids the second byte, as in overlong forms, surrogates, and numbers beyond U+10FFFF.
bool forbidden_pair(unsigned char first, unsigned char second) {
  return (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) || (first == 0xF0 && second < 0x90) ||
         (first == 0xF4 && second > 0x8F);
}

} // namespace

std::size_t utf8_letter_bytes(std::string_view text) {
  if (text.empty()) return 0;
  const auto first = static_cast<unsigned char>(text.front());
  const int length = sequence_length(first);
  if (length == 0 || static_cast<std::size_t>(length) > text.size()) return 0;
  for (int i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(text[static_cast<std::size_t>(i)]) & 0xC0U) != 0x80U) return 0;
  if (length > 1 && forbidden_pair(first, static_cast<unsigned char>(text[1]))) return 0;
  return static_cast<std::size_t>(length);
}

void refuse_unreadable(std::string_view text, const std::string& where) {
  if (text.find('\0') != std::string_view::npos)
    throw UserError(where, "", "found zero bytes, expected text; a spreadsheet has to be saved as CSV first");
  for (std::size_t at = 0; at < text.size();) {
    const auto letter_bytes = utf8_letter_bytes(text.substr(at));
    if (letter_bytes == 0)
      throw UserError(where, "", "found bytes that are not UTF-8, expected UTF-8; save the file in that encoding");
    at += letter_bytes;
  }
}

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return lower;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    while (at < text.size() && is_blank(text[at])) ++at;
    const std::size_t begin = at;
    while (at < text.size() && !is_blank(text[at])) ++at;
    if (at > begin) words.emplace_back(text.substr(begin, at - begin));
  }
  return words;
}

bool starts_with_word(std::string_view text, std::string_view word) {
  return text.substr(0, word.size()) == word && (text.size() == word.size() || is_blank(text[word.size()]));
}

std::optional<PrintedNumber> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  const auto exponent_at = text.find_first_of("eE");
  const auto mantissa = text.substr(0, exponent_at);
  const auto point = mantissa.find('.');
  int power = point == std::string_view::npos ? 0 : -static_cast<int>(mantissa.size() - point - 1);
  if (exponent_at != std::string_view::npos) {
    auto exponent = text.substr(exponent_at + 1);
    if (!exponent.empty() && exponent.front() == '+') exponent.remove_prefix(1);
    int shift = 0;
    std::from_chars(exponent.data(), exponent.data() + exponent.size(), shift);
    power += shift;
  }
  return PrintedNumber{value, 0.5 * std::pow(10.0, power)};
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const auto end = std::min(text.find_first_of("\r\n", begin), text.size());
    lines.emplace_back(text.substr(begin, end - begin));
    const bool two = end + 1 < text.size() && text[end] == '\r' && text[end + 1] == '\n';
    begin = end + (two ? 2 : 1);
  }
  return lines;
}

} // namespace ddlsim
