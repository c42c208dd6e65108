#include "sim/answer/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {
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
