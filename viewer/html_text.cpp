#include "viewer/html_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ddlsim {
namespace {

bool is_unknown_to_xml(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  return code < 0x20 && byte != '\t' && byte != '\n' && byte != '\r';
}

constexpr unsigned char_of_nothing = 0xFFFE, last_of_plane = 0xFFFF; ///< characters that XML does not allow

/// Number of bytes of the character that starts there (RFC 3629, section 4); 0 where no character that XML allows
/// starts there.
std::size_t character_length(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(text[i])); };
  const unsigned first = byte(at);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return 0;
  unsigned code = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0U) != 0x80U) return 0;
    code = code << 6U | (byte(at + i) & 0x3FU);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  return overlong || surrogate || code > 0x10FFFF || code == char_of_nothing || code == last_of_plane ? 0 : length;
}

} // namespace

std::string html_escaped(const std::string& text) {
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto length = character_length(text, i);
    if (length != 1) {
      escaped += length == 0 ? "\xEF\xBF\xBD" : text.substr(i, length);
      i += length == 0 ? 0 : length - 1;
      continue;
    }
    const char c = text[i];
    switch (c) {
    case '&':
      escaped += "&amp;";
      break;
    case '<':
      escaped += "&lt;";
      break;
    case '>':
      escaped += "&gt;";
      break;
    case '"':
      escaped += "&quot;";
      break;
    case '\'':
      escaped += "&#39;";
      break;
    default:
      if (!is_unknown_to_xml(c)) escaped += c;
    }
  }
  return escaped;
}

std::string json_in_script(const std::string& json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return safe;
}

} // namespace ddlsim
