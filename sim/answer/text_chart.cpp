#include "sim/answer/text_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

constexpr int steps = 10; ///< rows of 10 % each

/// What stands in a column at one height.
char mark_at(const std::vector<ChartLine>& lines, std::size_t column, int height) {
  char mark = ' ';
  for (const auto& line : lines) {
    const double share = column < line.shares.size() ? line.shares[column] : -1;
    if (share < 0 || std::lround(std::min(share, 1.0) * steps) != height) continue;
    mark = mark == ' ' ? line.mark : '*';
  }
  return mark;
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

} // namespace

std::string to_chart(const std::vector<std::string>& labels, const std::vector<ChartLine>& lines) {
  std::size_t width = 3;
  for (const auto& label : labels) width = std::max(width, label.size() + 1);
  std::string text;
  for (int height = steps; height >= 0; --height) {
    std::string row = fmt::format("{:>4} % |", height * 100 / steps);
    for (std::size_t column = 0; column < labels.size(); ++column)
      row += fmt::format("{:>{}}", mark_at(lines, column, height), width);
    text += trimmed(row);
  }
  std::string foot(8, ' ');
  for (const auto& label : labels) foot += fmt::format("{:>{}}", label, width);
  return text + trimmed(foot);
}

} // namespace ddlsim
