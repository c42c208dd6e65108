#include "sim/page/html_text.hpp"

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

std::string html_percent(double ratio) {
  return fmt::format("{:.1f}", 100 * ratio);
}

std::string html_off(double predicted_s, double measured_s) {
  return fmt::format("{:+.1f}", 100 * std::log(predicted_s / measured_s));
}

std::string html_paragraph(const std::string& text) {
  return "<p>" + html_escaped(text) + "</p>\n";
}

std::string html_raw_text(const std::string& summary, const std::string& text) {
  return fmt::format("<details class=\"raw\"><summary>{}</summary>\n<pre>{}</pre></details>\n", html_escaped(summary),
                     html_escaped(text));
}

std::string html_table(const std::string& caption, const std::vector<Column>& columns,
                       const std::vector<std::string>& rows) {
  auto table = fmt::format("<div class=\"box\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\"><table>\n"
                           "<caption>{0}</caption>\n<thead><tr>",
                           html_escaped(caption));
  for (const auto& [header, align] : columns) {
    table +=
        fmt::format("<th scope=\"col\"{}>{}</th>", align == Align::left ? " class=\"t\"" : "", html_escaped(header));
  }
  table += "</tr></thead>\n<tbody>\n";
  for (const auto& row : rows) table += row + "\n";
  return table + "</tbody></table></div>\n";
}

std::string html_row_head(const std::string& text) {
  return fmt::format("<th scope=\"row\">{}</th>", html_escaped(text));
}

std::string html_cell(const std::string& text, const std::string& classes) {
  if (classes.empty()) return fmt::format("<td>{}</td>", html_escaped(text));
  return fmt::format("<td class=\"{}\">{}</td>", classes, html_escaped(text));
}

std::string html_long_cell(const std::string& text) {
  return fmt::format("<td class=\"t\"><div class=\"long\">{}</div></td>", html_escaped(text));
}

} // namespace ddlsim
