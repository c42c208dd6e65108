#include "sim/base/plain_number.hpp"

#include "sim/base/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace ddlsim {
namespace {

/// The value rounded to three significant digits.
double in_three_digits(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double step = std::pow(10, std::floor(std::log10(std::abs(value))) - 2);
  return std::round(value / step) * step;
}

/// The rounded value with as many decimals as three digits leave.
std::string digits(double rounded) {
  const double size = std::abs(rounded);
  const int decimals = size >= 100 || size == 0 ? 0 : size >= 10 ? 1 : 2;
  auto text = fmt::format("{:.{}f}", rounded, size < 1 && size > 0 ? 3 : decimals);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

constexpr std::array<std::pair<double, const char*>, 4> prefixes{{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};

std::string with_prefix(double rounded) {
  for (const auto& [size, letter] : prefixes)
    if (std::abs(rounded) >= size) return digits(rounded / size) + letter;
  return digits(rounded);
}

} // namespace

std::string screen_text(std::string sentences, std::size_t lines) {
  if (sentences.empty() || lines == 0) return "";
  constexpr char no_break = '\x1f';
  for (auto at = sentences.find(" %"); at != std::string::npos; at = sentences.find(" %", at)) sentences[at] = no_break;
  auto text = to_lines(sentences, screen_columns);
  std::replace(text.begin(), text.end(), no_break, ' ');
  std::size_t end = 0;
  for (std::size_t i = 0; i < lines && end < text.size(); ++i) end = text.find('\n', end) + 1;
  if (end == text.size()) return text;
  text.resize(end - 1);
  constexpr std::string_view dots = " ...";
  const auto before = text.rfind('\n');
  const auto columns = text.size() - (before == std::string::npos ? 0 : before + 1);
  if (columns + dots.size() > screen_columns) text.resize(text.rfind(' '));
  return text + std::string(dots) + "\n";
}

std::string with_commas(double count) {
  auto text = fmt::format("{:.0f}", count);
  const std::size_t first = text.front() == '-' ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) text.insert(at -= 3, ",");
  return text;
}

std::string gpus_in_words(int gpus) {
  return fmt::format("{} GPU{}", with_commas(gpus), gpus == 1 ? "" : "s");
}

std::string plain_number(double value) {
  constexpr double million = 1e6;
  constexpr double thousand = 1e3;
  const double rounded = in_three_digits(value);
  if (std::abs(rounded) >= million) return with_prefix(rounded);
  return std::abs(rounded) >= thousand ? with_commas(rounded) : digits(rounded);
}

std::string cell_number(double value) {
  constexpr double ten_thousand = 1e4;
  const double rounded = in_three_digits(value);
  return std::abs(rounded) < ten_thousand ? plain_number(rounded) : with_prefix(rounded);
}

std::string plain_time(double time_s) {
  constexpr double minute_s = 60;
  constexpr double hour_s = 3600;
  constexpr double day_s = 24 * hour_s;
  constexpr double days_from_s = 2 * day_s;
  const auto in = [&](double unit_s, const char* unit) {
    return fmt::format("{} {}", digits(in_three_digits(time_s / unit_s)), unit);
  };
  if (time_s >= days_from_s) return in(day_s, "d");
  if (time_s >= 2 * hour_s) return in(hour_s, "h");
  if (time_s >= 2 * minute_s) return in(minute_s, "min");
  if (time_s >= 1 || time_s == 0) return in(1, "s");
  return time_s >= 1e-3 ? in(1e-3, "ms") : in(1e-6, "us");
}

std::string plain_percent(double share) {
  const double percent = 100 * share;
  constexpr double one_decimal_below = 0.95;
  if (percent != 0 && std::abs(percent) < one_decimal_below) return fmt::format("{:.1f} %", percent);
  return fmt::format("{:.0f} %", percent);
}

std::string words_of_range(const std::string& low, const std::string& high) {
  const auto blank = high.rfind(' ');
  const auto unit = blank == std::string::npos ? std::string() : high.substr(blank);
  const bool is_same = !unit.empty() && low.ends_with(unit);
  return (is_same ? low.substr(0, low.size() - unit.size()) : low) + " to " + high;
}

std::string plain_range(double low, double high) {
  return plain_number(low) + " to " + plain_number(high);
}

} // namespace ddlsim
