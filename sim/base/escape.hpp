#pragma once
// Escapes text from files (names, notes, titles), so that it stays text in what this program writes. For HTML and SVG
// see viewer/html_text.hpp, for JSON json_text(), for messages in_quotes().

#include <string>
#include <string_view>

namespace ddlsim {

/// Quotes a cell of CSV (RFC 4180). A spreadsheet reads a cell that begins with = + - @, a tab or a carriage return as
/// a formula; an apostrophe in front makes it text (OWASP, "CSV Injection").
inline std::string csv_cell(std::string_view text) {
  std::string cell = "\"";
  if (!text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos) cell += '\'';
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + '"';
}

/// Returns Markdown in which no HTML tag can begin: each < that would begin one is replaced by &lt;.
inline std::string without_tags(std::string_view text) {
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    const bool begins =
        (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') || next == '/' || next == '!' || next == '?';
    if (text[i] == '<' && begins)
      safe += "&lt;";
    else
      safe += text[i];
  }
  return safe;
}

/// Makes text safe for a terminal: a question mark replaces each control character (C0 and C1 of ISO 6429, DEL) except
/// line ends and tabs. Other control characters could move the cursor, colour the text that follows or set the window's
/// title.
inline std::string for_terminal(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    const bool is_c1 = byte == 0xC2 && next >= 0x80 && next <= 0x9F; // two bytes of UTF-8
    const bool is_c0 = (byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7F;
    safe += is_c0 || is_c1 ? '?' : text[i];
    if (is_c1) ++i;
  }
  return safe;
}

/// Makes a cell of a Markdown table: one line without tags and control characters, with each | escaped.
inline std::string markdown_cell(std::string_view text) {
  std::string cell;
  for (const char c : for_terminal(without_tags(text))) {
    if (c == '|') cell += '\\';
    cell += c == '\n' || c == '\t' ? ' ' : c;
  }
  return cell;
}

} // namespace ddlsim
