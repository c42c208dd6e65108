#include "sim/base/table.hpp"

#include "sim/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {

std::string seconds_text(double time_s) {
  return print_quantity(time_s, Dimension::time);
}

std::string percent_text(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string to_lines(std::string_view sentence, std::size_t columns) {
  std::string text;
  std::string line;
  while (!sentence.empty()) {
    const std::size_t end = std::min(sentence.find(' '), sentence.size());
    const auto word = sentence.substr(0, end);
    sentence.remove_prefix(std::min(end + 1, sentence.size()));
    const bool begins = line.empty() || line == "  ";
    if (!begins && line.size() + 1 + word.size() > columns) {
      text += line + "\n";
      line = "  ";
    } else if (!begins) {
      line += ' ';
    }
    line += word;
  }
  return text + line + "\n";
}

namespace {

/// A byte inside a character of UTF-8, not its first.
bool is_continuation(char c) {
  constexpr unsigned leading_bits = 0xC0;
  constexpr unsigned continuation = 0x80;
  return (static_cast<unsigned char>(c) & leading_bits) == continuation;
}

} // namespace

std::string cut_in_the_middle(std::string_view text, std::size_t most) {
  constexpr std::string_view dots = "...";
  if (text.size() <= most) return std::string(text);
  if (most <= dots.size()) return std::string(dots.substr(0, most));
  std::size_t before = (most - dots.size() + 1) / 2;
  std::size_t after = text.size() - (most - dots.size() - before);
  while (before > 0 && is_continuation(text[before])) --before;
  while (after < text.size() && is_continuation(text[after])) ++after;
  return fmt::format("{}{}{}", text.substr(0, before), dots, text.substr(after));
}

namespace {

std::string to_line(const std::vector<Column>& columns, const std::vector<std::size_t>& widths,
                    const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::string& cell = c < cells.size() ? cells[c] : "";
    if (c > 0) line += "  ";
    line += columns[c].align == Align::left ? fmt::format("{:<{}}", cell, widths[c])
                                            : fmt::format("{:>{}}", cell, widths[c]);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

} // namespace

std::string to_table(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  std::vector<std::string> header;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    std::size_t width = columns[c].header.size();
    for (const auto& row : rows)
      if (c < row.size()) width = std::max(width, row[c].size());
    widths.push_back(width);
    header.push_back(columns[c].header);
  }
  std::string text = to_line(columns, widths, header);
  for (const auto& row : rows) text += to_line(columns, widths, row);
  return text;
}

} // namespace ddlsim
