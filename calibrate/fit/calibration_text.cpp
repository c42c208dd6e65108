#include "calibrate/fit/calibrate.hpp"
#include "calibrate/fit/collective_fit.hpp"
#include "calibrate/fit/compute_fit.hpp"
#include "sim/formats/parameters.hpp"
#include "sim/predict/residual_process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ddlsim {
namespace {

std::string parameter_line(const CalibratedParameter& one) {
  const double value = prior_value(one.prior, one.z_score);
  const double low = prior_value(one.prior, one.z_score - upper_95 * one.error);
  const double high = prior_value(one.prior, one.z_score + upper_95 * one.error);
  return fmt::format("  {:<24} {:>11} [{:>9} .. {:>9}]  {:>3.0f} % of the prior's width, prior {:>9}  {}\n", one.name,
                     value_text(value, one.prior.unit), value_text(low, one.prior.unit),
                     value_text(high, one.prior.unit), 100 * one.error, value_text(one.prior.median, one.prior.unit),
                     scope_text(one.scope));
}

/// Series as one line each, worst first: how far the fit is off.
std::string series_text(const Calibration& calibration) {
  std::vector<std::pair<double, std::string>> rows;
  for (const auto& series : calibration.series) {
    double sum = 0;
    double worst = 0;
    for (const auto& point : series.points) {
      sum += std::abs(point.residual);
      worst = std::max(worst, std::abs(point.residual));
    }
    if (series.points.empty()) continue;
    rows.emplace_back(sum / static_cast<double>(series.points.size()),
                      fmt::format("  {:>5.1f} {:>6.1f}  {:>3}  {}{}\n",
                                  100 * sum / static_cast<double>(series.points.size()), 100 * worst,
                                  series.points.size(), series.id, series.borrowed ? " (borrowed)" : ""));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  constexpr std::size_t most = 10;
  std::string text;
  if (!rows.empty()) text = "\nseries furthest off, %:\n   mean  worst  points\n";
  for (std::size_t i = 0; i < std::min(most, rows.size()); ++i) text += rows[i].second;
  if (rows.size() > most) text += fmt::format("  ... and {} series closer\n", rows.size() - most);
  return text;
}

std::string excluded_text(const Calibration& calibration) {
  constexpr std::size_t most = 12;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, calibration.excluded.size()); ++i)
    text += fmt::format("excluded: {}: {}\n", calibration.excluded[i].what, calibration.excluded[i].why);
  if (calibration.excluded.size() > most)
    text += fmt::format("... and {} more; all in the file\n", calibration.excluded.size() - most);
  return text.empty() ? "" : "\n" + text;
}

std::string learnt_text(const Calibration& calibration) {
  std::string text = "\nlearnt, with 90 %:\n";
  int unlearnt = 0;
  for (const auto& one : calibration.parameters) {
    if (one.identified) text += parameter_line(one);
    if (!one.identified) ++unlearnt;
  }
  for (const auto& choice : calibration.choices)
    text += fmt::format("  {:<24} {}  {}\n", choice.servers ? "tensors on servers" : "all-reduce", choice.name,
                        scope_text(choice.scope));
  return text + fmt::format("{} more parameters stay at their priors: what depends on them is assumed\n", unlearnt);
}

std::string next_text(const std::vector<NextMeasurement>& all) {
  std::string text;
  for (const auto& one : all)
    text += fmt::format("  {}:\n    {} is then known to +-{:.0f} % instead of +-{:.0f} %\n", one.run, one.predicted,
                        100 * one.then, 100 * one.now);
  return text.empty() ? "" : "\nmeasure next (90 % intervals):\n" + text;
}

/// How far a prediction is off that did not see the series it is of.
std::string quality_text(const CalibrationQuality& quality) {
  std::string text = fmt::format("after the fit {:.1f} %", 100 * quality.fit_error);
  if (quality.leave_one_out_points > 0)
    text += fmt::format(",\neach series predicted from all others {:.1f} % ({} points)",
                        100 * quality.leave_one_out_error, quality.leave_one_out_points);
  if (quality.unmeasured_models > 0)
    text += fmt::format(",\neach of {} models predicted from the others {:.1f} % (root mean square)",
                        quality.unmeasured_models, 100 * quality.unmeasured_model_error);
  return text;
}

} // namespace

std::string calibration_text(const Calibrated& calibrated) {
  const auto& calibration = calibrated.calibration;
  std::string text =
      fmt::format("{}: {} points of {} series; mean |ln(model / measured)| {}\n", calibration.cluster,
                  calibration.quality.points, calibration.series.size(), quality_text(calibration.quality));
  text += learnt_text(calibration) + series_text(calibration);
  if (!calibrated.compute.lines.empty()) text += "\none GPU:\n" + to_text(calibrated.compute);
  if (!calibrated.collectives.fits.empty()) text += "\ncollectives:\n" + collectives_table(calibrated.collectives);
  return text + next_text(calibrated.next) + excluded_text(calibration);
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
  add(scope.evidence);
  if (scope.batch_per_gpu > 0) add(fmt::format("batch {:g}", scope.batch_per_gpu));
  return text.empty() ? "all" : text;
}

std::string value_text(double value, const std::string& unit) {
  if (unit == "s") return value < 1e-3 ? fmt::format("{:.3g} us", 1e6 * value) : fmt::format("{:.3g} ms", 1e3 * value);
  if (unit == "B/s") return fmt::format("{:.3g} GB/s", 1e-9 * value);
  return fmt::format("{:.3g}", value);
}

} // namespace ddlsim
