#include "calibrate/fit/collective_fit.hpp"
#include "sim/base/chart.hpp"
#include "sim/base/names.hpp"
#include "sim/base/table.hpp"
#include "sim/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

constexpr std::size_t most_columns = 14; ///< of the chart, so that it fits 100 characters
constexpr std::size_t most_jumps = 5;    ///< listed one by one, the largest first
constexpr double beyond = 4;             ///< factor of size by which the chart goes past the measured ones

/// A standard deviation of a logarithm as a person takes it: per cent, or a factor where it is large.
std::string error_text(double error) {
  constexpr double large = 0.5;
  return error < large ? fmt::format("+-{:.1f} %", 100 * error) : fmt::format("within x{:.1f}", std::exp(error));
}

std::string constant_text(const char* name, const std::string& value, const AlphaBetaConstant& constant) {
  return fmt::format("{} {} {}{}", name, value, error_text(constant.error),
                     constant.identified ? "" : ", unidentified: the prior's");
}

std::string alpha_beta_line(const CollectiveCurve& curve) {
  return fmt::format("  {}; {}; {}\n",
                     constant_text("latency", print_quantity(curve.latency_s.value, Dimension::time), curve.latency_s),
                     constant_text("rate", print_quantity(curve.rate_Bps.value, Dimension::bandwidth), curve.rate_Bps),
                     constant_text("pipelining", fmt::format("{:.2f}", curve.pipelining.value), curve.pipelining));
}

std::string range_text(const CollectiveFit& fit) {
  const auto& samples = fit.samples;
  if (samples.empty()) return "no sizes";
  if (samples.size() == 1) return size_text(samples.front().size_bytes) + " only";
  return fmt::format("{} sizes, {} to {}", samples.size(), size_text(samples.front().size_bytes),
                     size_text(samples.back().size_bytes));
}

std::string quality_line(const CollectiveCurve& curve) {
  if (curve.leave_one_out_points == 0) return "  too few sizes to leave one out: how good the curve is, is not known\n";
  return fmt::format("  each size predicted from the others: {} off in the mean, {} at worst ({} sizes)\n",
                     percent_text(curve.mean_leave_one_out_error), percent_text(curve.worst_leave_one_out_error),
                     curve.leave_one_out_points);
}

std::string jump_lines(const CollectiveCurve& curve) {
  auto jumps = curve.jumps;
  std::stable_sort(jumps.begin(), jumps.end(), [](const CurveJump& a, const CurveJump& b) {
    return std::abs(std::log(a.factor)) > std::abs(std::log(b.factor));
  });
  std::string text;
  for (std::size_t i = 0; i < std::min(jumps.size(), most_jumps); ++i)
    text +=
        fmt::format("  jump from {} to {}: {:.2f} times what the law says; a switch of protocol or algorithm there\n",
                    size_text(jumps[i].from_bytes), size_text(jumps[i].to_bytes), jumps[i].factor);
  if (jumps.size() > most_jumps) text += fmt::format("  and {} smaller jumps\n", jumps.size() - most_jumps);
  return text;
}

/// Every size, or as many as fit, evenly in logarithms; the ends always among them.
std::vector<TransferSample> columns_of(const std::vector<TransferSample>& samples) {
  if (samples.size() <= most_columns) return samples;
  std::vector<TransferSample> columns;
  const double first = std::log(samples.front().size_bytes);
  const double range = std::log(samples.back().size_bytes) - first;
  for (const auto& sample : samples) {
    const double due = first + range * static_cast<double>(columns.size()) / (most_columns - 1);
    constexpr double rounding = 1e-9;
    if (std::log(sample.size_bytes) >= due - rounding) columns.push_back(sample);
  }
  return columns;
}

std::string chart_label(double size_bytes) {
  auto label = size_text(size_bytes);
  label.erase(std::remove(label.begin(), label.end(), ' '), label.end());
  return label;
}

std::string chart(const CollectiveFit& fit) {
  if (fit.samples.size() < 2) return "";
  auto columns = columns_of(fit.samples);
  columns.insert(columns.begin(), {columns.front().size_bytes / beyond, 0});
  columns.push_back({columns.back().size_bytes * beyond, 0});
  std::vector<std::string> labels;
  std::vector<double> measured, fitted;
  for (const auto& column : columns) {
    labels.push_back(chart_label(column.size_bytes));
    measured.push_back(column.time_s);
    fitted.push_back(collective_time_s(fit.curve, column.size_bytes));
  }
  auto all = fitted;
  for (const double time_s : measured)
    if (time_s > 0) all.push_back(time_s);
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  const double low = std::log(*least);
  const double high = std::log(*most);
  const auto share = [&](double time_s) {
    return time_s > 0 ? (std::log(time_s) - low) / std::max(high - low, 1e-12) : -1;
  };
  ChartLine points{'o', {}};
  ChartLine line{'-', {}};
  for (const double time_s : measured) points.shares.push_back(share(time_s));
  for (const double time_s : fitted) line.shares.push_back(share(time_s));
  return fmt::format("  ln time over size, from {} (0 %) to {} (100 %); o measured, - curve, * both\n{}",
                     print_quantity(*least, Dimension::time), print_quantity(*most, Dimension::time),
                     to_chart(labels, {points, line}));
}

std::string note_lines(const std::vector<Excluded>& notes) {
  std::string text;
  for (const auto& note : notes) text += fmt::format("  excluded or doubtful: {}: {}\n", note.what, note.why);
  return text;
}

std::string next_line(const CollectiveFit& fit) {
  if (fit.measure_next_bytes.empty()) return "";
  std::vector<std::string> sizes;
  for (const double size : fit.measure_next_bytes) sizes.push_back(size_text(size));
  return fmt::format("  measure next: {} ({} of {} ranks)\n", join_names(sizes), fit.curve.key.operation,
                     fit.curve.key.ranks);
}

} // namespace

std::string size_text(double size_bytes) {
  constexpr double kibi = 1024;
  const char* names[] = {"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  double value = size_bytes;
  while (unit + 1 < std::size(names) && value >= kibi && std::fmod(value, kibi) == 0) {
    value /= kibi;
    ++unit;
  }
  if (value >= kibi || value != std::floor(value)) return print_quantity(size_bytes, Dimension::size);
  return fmt::format("{:.0f} {}", value, names[unit]);
}

std::string collective_text(const CollectiveFit& fit) {
  const auto& curve = fit.curve;
  std::string text = fmt::format("{}, {} over {}\n", curve_name(curve.key), curve.key.library, curve.key.transport);
  text += fmt::format("  from {} ({})\n", join_names(curve.sources), range_text(fit));
  return text + alpha_beta_line(curve) + quality_line(curve) + jump_lines(curve) + chart(fit) +
         note_lines(fit.excluded) + next_line(fit);
}

std::string collectives_table(const CollectiveFits& fits) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& fit : fits.fits) {
    const auto& curve = fit.curve;
    const bool known = curve.leave_one_out_points > 0;
    rows.push_back({curve_name(curve.key), range_text(fit), known ? percent_text(curve.mean_leave_one_out_error) : "-",
                    known ? percent_text(curve.worst_leave_one_out_error) : "-",
                    fmt::format("{}", curve.jumps.size())});
  }
  const std::vector<Column> columns{{"curve", Align::left},
                                    {"measured", Align::left},
                                    {"left out: mean", Align::right},
                                    {"worst", Align::right},
                                    {"jumps", Align::right}};
  return to_table(columns, rows) + note_lines(fits.excluded);
}

} // namespace ddlsim
