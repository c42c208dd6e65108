#include "sim/base/plain_number.hpp"
#include "viewer/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

std::string bytes_tick(double bytes) {
  constexpr double step = 1024;
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= step && unit + 1 < std::size(units); ++unit) bytes /= step;
  return fmt::format("{:g} {}", bytes, units[unit]);
}

std::string tick_text(const ChartAxis& axis, double value) {
  switch (axis.unit) {
  case AxisUnit::percent:
    return fmt::format("{:.3g} %", 100 * value);
  case AxisUnit::count:
    return with_commas(value);
  case AxisUnit::bytes:
    return bytes_tick(value);
  case AxisUnit::number:
    break;
  }
  return cell_number(value);
}

bool is_inside(const ChartAxis& axis, double value) {
  const double slack = 1e-9 * std::max(std::abs(axis.low), std::abs(axis.high));
  return value >= axis.low - slack && value <= axis.high + slack;
}

std::vector<double> powers_of_two(const ChartAxis& axis, std::size_t most) {
  const double first = std::ceil(std::log2(axis.low) - 1e-9);
  const double last = std::floor(std::log2(axis.high) + 1e-9);
  double step = 1;
  while ((last - first) / step + 1 > static_cast<double>(most)) ++step;
  std::vector<double> values;
  for (double power = first; power <= last; power += step) values.push_back(std::exp2(power));
  return values;
}

/// Figures like 1, 2, 5, 10: the longest of these lists of leading digits that fits.
std::vector<double> decimal_steps(const ChartAxis& axis, std::size_t most) {
  const std::vector<std::vector<double>> digits{
      {1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 1.5, 2, 3, 5, 7}, {1, 2, 5}, {1, 3}, {1}};
  std::vector<double> values;
  for (double each = 1;; ++each) { // every power, then every second, and so on
    for (const auto& list : digits) {
      values.clear();
      for (double power = std::floor(std::log10(axis.low)); power <= std::log10(axis.high); power += each)
        for (const double digit : list)
          if (is_inside(axis, digit * std::pow(10, power))) values.push_back(digit * std::pow(10, power));
      if (values.size() <= most) return values;
    }
  }
}

std::vector<double> linear_steps(const ChartAxis& axis, std::size_t most) {
  double step = std::pow(10, std::floor(std::log10((axis.high - axis.low) / static_cast<double>(most))));
  constexpr double rises[] = {2, 2.5, 2};
  for (std::size_t i = 0; (axis.high - axis.low) / step + 1 > static_cast<double>(most); ++i) step *= rises[i % 3];
  std::vector<double> values;
  for (double i = std::ceil(axis.low / step - 1e-9); is_inside(axis, i * step); ++i)
    values.push_back(i * step + 0.0); // no -0
  return values;
}

} // namespace

double share_of_axis(const ChartAxis& axis, double value) {
  if (axis.scale == AxisScale::names) return (value + 0.5) / std::max(1.0, static_cast<double>(axis.names.size()));
  if (axis.high <= axis.low) return 0.5;
  if (axis.scale != AxisScale::logarithmic) return std::clamp((value - axis.low) / (axis.high - axis.low), 0.0, 1.0);
  return value <= axis.low ? 0 : std::clamp(std::log(value / axis.low) / std::log(axis.high / axis.low), 0.0, 1.0);
}

void span_axis(ChartAxis& axis, const std::vector<double>& values) {
  bool any = false;
  for (const double value : values) {
    if (!std::isfinite(value) || (axis.scale == AxisScale::logarithmic && value <= 0)) continue;
    axis.low = any ? std::min(axis.low, value) : value;
    axis.high = any ? std::max(axis.high, value) : value;
    any = true;
  }
  if (!any) axis.low = 1, axis.high = 2;
  constexpr double least_ratio = 1.1; // one value alone, or equal ones
  if (axis.scale == AxisScale::logarithmic && axis.high < least_ratio * axis.low) axis.low /= 2, axis.high *= 2;
  if (axis.scale == AxisScale::linear && axis.high <= axis.low)
    axis.high = axis.low + std::max(1.0, std::abs(axis.low));
}

std::vector<Tick> axis_ticks(const ChartAxis& axis, std::size_t most) {
  std::vector<Tick> ticks;
  if (axis.scale == AxisScale::names) {
    for (std::size_t i = 0; i < axis.names.size(); ++i) ticks.push_back({static_cast<double>(i), axis.names[i]});
    return ticks;
  }
  const bool binary = axis.unit == AxisUnit::count || axis.unit == AxisUnit::bytes;
  const auto values = axis.scale == AxisScale::linear ? linear_steps(axis, most)
                      : binary                        ? powers_of_two(axis, most)
                                                      : decimal_steps(axis, most);
  for (const double value : values) ticks.push_back({value, tick_text(axis, value)});
  return ticks;
}

} // namespace ddlsim
