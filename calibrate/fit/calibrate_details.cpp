#include "calibrate/fit/calibrate.hpp"
#include "calibrate/fit/collective_fit.hpp"
#include "calibrate/fit/compute_fit.hpp"
#include "sim/base/table.hpp"
#include "sim/formats/parameter_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ddlsim {
namespace {

std::vector<std::string> detailed_row(const CalibratedParameter& one) {
  const auto at = [&](double z_score) { return prior_value(one.prior, z_score); };
  const auto& unit = one.prior.unit;
  const double reach = upper_95 * one.error;
  return {one.name,
          scope_text(one.scope),
          one.identified ? "yes" : "no",
          parameter_interval(one.name, unit, at(one.z_score), at(one.z_score - reach), at(one.z_score + reach)),
          parameter_value(one.name, unit, one.prior.median),
          fmt::format("{:.0f} %", 100 * one.error),
          fmt::format("{}", one.points)};
}

/// A table of all parameters, the identified ones first.
std::string parameters_table(const Calibration& calibration) {
  std::vector<std::vector<std::string>> rows;
  for (const bool identified : {true, false})
    for (const auto& one : calibration.parameters)
      if (one.identified == identified) rows.push_back(detailed_row(one));
  if (rows.empty()) return "";
  return "\nparameters that the points say something of; all others stay at their priors:\n" +
         to_table({{"parameter", Align::left},
                   {"holds for", Align::left},
                   {"learnt", Align::left},
                   {"value (90 %)", Align::left},
                   {"prior"},
                   {"width left"},
                   {"points"}},
                  rows);
}

std::string choices_text(const Calibration& calibration) {
  std::string text;
  for (const auto& choice : calibration.choices)
    text += fmt::format("{}: {}, {}\n", choice.servers ? "tensors on servers" : "all-reduce", choice.name,
                        scope_text(choice.scope));
  return text.empty() ? "" : "\nwhat the library does, by likelihood:\n" + text;
}

/// One line for each series with the error of its fit, the worst first.
std::string all_series_text(const Calibration& calibration) {
  std::vector<std::pair<double, std::string>> rows;
  for (const auto& series : calibration.series) {
    if (series.points.empty()) continue;
    const auto off = error_of_series(series);
    rows.emplace_back(off.mean, fmt::format("  {:>5.1f} {:>6.1f}  {:>3}  {}{}\n", 100 * off.mean, 100 * off.worst,
                                            series.points.size(), series.id, series.borrowed ? " (borrowed)" : ""));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  if (!rows.empty()) text = "\nseries, furthest off first, %:\n   mean  worst  points\n";
  for (const auto& row : rows) text += row.second;
  return text;
}

std::string all_excluded_text(const Calibration& calibration) {
  std::string text;
  for (const auto& one : calibration.excluded) text += fmt::format("excluded: {}: {}\n", one.what, one.why);
  return text.empty() ? "" : "\n" + text;
}

} // namespace

std::string calibration_details(const Calibrated& calibrated) {
  const auto& calibration = calibrated.calibration;
  std::string text = parameters_table(calibration) + choices_text(calibration) + all_series_text(calibration);
  if (!calibrated.compute.lines.empty()) text += "\none GPU:\n" + to_text(calibrated.compute);
  if (!calibrated.collectives.fits.empty()) text += "\ncollectives:\n" + collectives_table(calibrated.collectives);
  return text + all_excluded_text(calibration);
}

SeriesError error_of_series(const CalibratedSeries& series) {
  SeriesError off;
  for (const auto& point : series.points) {
    off.mean += std::abs(point.residual) / static_cast<double>(series.points.size());
    off.worst = std::max(off.worst, std::abs(point.residual));
  }
  return off;
}

std::string scope_text(const CalibrationScope& scope) {
  std::string text;
  const auto add = [&](const std::string& word) {
    if (!word.empty()) text += (text.empty() ? "" : ", ") + word;
  };
  add(scope.transport);
  add(scope.preset);
  add(to_text(scope.precision));
  add(scope.model);
  if (scope.batch_per_gpu > 0) add(fmt::format("batch {:g}", scope.batch_per_gpu));
  return text.empty() ? "all" : text;
}

std::string value_text(double value, const std::string& unit) {
  if (unit == "s") return value < 1e-3 ? fmt::format("{:.3g} us", 1e6 * value) : fmt::format("{:.3g} ms", 1e3 * value);
  if (unit == "B/s") return fmt::format("{:.3g} GB/s", 1e-9 * value);
  return fmt::format("{:.3g}", value);
}

} // namespace ddlsim
