#include "sim/base/table.hpp"

#include "sim/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

constexpr int steps = 10; ///< number of rows, 10 % each

/// The mark that a chart shows in a column at one height.
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

/// Whether the byte continues a UTF-8 character.
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

namespace {

/// Writes the number with that many significant digits, including trailing zeros, and never as a power of ten.
std::string digits_text(double value, int digits) {
  if (value <= 0) return "0";
  const double step = std::pow(10.0, std::floor(std::log10(value)) + 1 - digits);
  const double rounded = std::round(value / step) * step;
  // 99.96 is written as 100.0 here, which needs one decimal place less.
  const int places = digits - 1 - static_cast<int>(std::floor(std::log10(rounded) + 1e-9));
  return fmt::format("{:.{}f}", rounded, std::max(places, 0));
}

/// Writes a bound with three digits, at most two of them after the point. No interval is known more precisely.
std::string bound_text(double value) {
  return value < 1 ? fmt::format("{:.2f}", value) : digits_text(value, 3);
}

/// Writes the bounds in whole per cent. Tenths are written for values below ten, or where whole ones would hide the
/// interval.
std::string percent_bounds(double low, double high) {
  constexpr double shows_tenths_below = 0.0995;
  constexpr double narrow = 0.02;
  constexpr double shows_whole_from = 0.9995;
  const auto text = [&](double share) {
    const bool tenths = share < shows_tenths_below || (high - low < narrow && share < shows_whole_from);
    return fmt::format("{:.{}f}", 100 * share, tenths ? 1 : 0);
  };
  return fmt::format("({}..{})", text(low), text(high));
}

std::string bounds_text(double low, double high) {
  return fmt::format("({}..{})", bound_text(low), bound_text(high));
}

/// A unit for showing a time.
struct TimeUnit {
  std::string name;
  double unit_s = 1;
};

TimeUnit unit_of(double time_s) {
  const std::string printed = seconds_text(time_s);
  const std::string name = printed.substr(printed.find(' ') + 1);
  return {name, unit_in_si(name, Dimension::time)};
}

} // namespace

std::string short_seconds_text(double time_s) {
  if (time_s < 0) return "-" + short_seconds_text(-time_s);
  const auto unit = unit_of(time_s);
  return fmt::format("{} {}", digits_text(time_s / unit.unit_s, 3), unit.name);
}

IntervalText seconds_interval(double time_s, double low_s, double high_s) {
  const auto unit = unit_of(time_s);
  return {fmt::format("{} {}", digits_text(time_s / unit.unit_s, 4), unit.name),
          bounds_text(low_s / unit.unit_s, high_s / unit.unit_s)};
}

IntervalText rate_interval(double samples_per_s, double low_per_s, double high_per_s) {
  constexpr double from_thousands = 9999.5; // a larger value would be written as 10000
  constexpr double from_millions = 9'999'500;
  const bool millions = samples_per_s >= from_millions;
  const bool thousands = samples_per_s >= from_thousands;
  const double unit = millions ? 1e6 : thousands ? 1e3 : 1;
  return {digits_text(samples_per_s / unit, 4) + (millions    ? "M"
                                                  : thousands ? "k"
                                                              : ""),
          bounds_text(low_per_s / unit, high_per_s / unit)};
}

IntervalText percent_interval(double share, double low, double high) {
  return {percent_text(share), percent_bounds(low, high)};
}

std::vector<std::string> align_intervals(const std::vector<IntervalText>& intervals) {
  std::size_t value_width = 0;
  std::size_t bounds_width = 0;
  for (const auto& interval : intervals) {
    value_width = std::max(value_width, interval.value.size());
    bounds_width = std::max(bounds_width, interval.bounds.size());
  }
  std::vector<std::string> cells;
  cells.reserve(intervals.size());
  for (const auto& [value, bounds] : intervals)
    cells.push_back(value.empty() ? "" : fmt::format("{:>{}} {:<{}}", value, value_width, bounds, bounds_width));
  return cells;
}

namespace {

/// Writes a time that is left: whole seconds up to two minutes, whole minutes up to two hours, and hours above.
std::string time_left_text(double left_s) {
  constexpr double minute_s = 60;
  constexpr double hour_s = 3600;
  if (left_s < 2 * minute_s) return fmt::format("{:.0f} s left", std::ceil(left_s));
  if (left_s < 2 * hour_s) return fmt::format("{:.0f} min left", std::ceil(left_s / minute_s));
  return fmt::format("{:.1f} h left", left_s / hour_s);
}

} // namespace

std::string progress_text(const TaskCount& count, const std::string& tasks, double passed_s, std::size_t columns) {
  constexpr std::size_t bar_columns = 30;
  auto text = fmt::format("{} of {} {}", count.ended, count.all, tasks);
  if (count.ended > count.before) {
    const double each_s = passed_s / static_cast<double>(count.ended - count.before);
    text += ", " + time_left_text(each_s * static_cast<double>(count.all - count.ended));
  }
  const auto marks = count.all > 0 ? bar_columns * count.ended / count.all : bar_columns;
  const auto bar = fmt::format("[{:<{}}] ", std::string(marks, '='), bar_columns);
  if (bar.size() + text.size() < columns) return bar + text;
  return text.substr(0, columns > 0 ? columns - 1 : 0);
}

} // namespace ddlsim
