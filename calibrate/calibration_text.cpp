#include "calibrate/calibrate.hpp"
#include "sim/model/parameters.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace ddlsim {
namespace {

std::string scope_text(const CalibrationScope& scope) {
  std::string text;
  const auto add = [&](const std::string& word) {
    if (!word.empty()) text += (text.empty() ? "" : ", ") + word;
  };
  add(scope.transport);
  add(scope.preset);
  add(scope.precision);
  add(scope.model);
  if (scope.batch_per_gpu > 0) add(fmt::format("batch {:g}", scope.batch_per_gpu));
  return text.empty() ? "all" : text;
}

std::string value_text(double value, const std::string& unit) {
  if (unit == "s") return value < 1e-3 ? fmt::format("{:.3g} us", 1e6 * value) : fmt::format("{:.3g} ms", 1e3 * value);
  if (unit == "B/s") return fmt::format("{:.3g} GB/s", 1e-9 * value);
  return fmt::format("{:.3g}", value);
}

std::string parameter_line(const CalibratedParameter& one) {
  constexpr double upper_95 = 1.645;
  const double value = prior_value(one.prior, one.coordinate);
  const double low = prior_value(one.prior, one.coordinate - upper_95 * one.error);
  const double high = prior_value(one.prior, one.coordinate + upper_95 * one.error);
  return fmt::format("  {:<24} {:>11} [{:>9} .. {:>9}]  {:>3.0f} % of the prior's width, prior {:>9}  {}\n", one.name,
                     value_text(value, one.prior.unit), value_text(low, one.prior.unit),
                     value_text(high, one.prior.unit), 100 * one.error, value_text(one.prior.median, one.prior.unit),
                     scope_text(one.scope));
}

} // namespace

std::string calibration_text(const Calibration& calibration) {
  std::string text = fmt::format("{}: {} points of {} series; mean |ln(model / measured)| after the fit {:.1f} %\n",
                                 calibration.cluster, calibration.quality.points, calibration.series.size(),
                                 100 * calibration.quality.fit_error);
  text += "\nlearnt, with 90 %:\n";
  int unlearnt = 0;
  for (const auto& one : calibration.parameters) {
    if (one.identified) text += parameter_line(one);
    if (!one.identified) ++unlearnt;
  }
  text += fmt::format("\n{} more parameters stay at their priors: what hangs on them is assumed\n", unlearnt);
  for (const auto& one : calibration.set_aside) text += fmt::format("set aside: {}: {}\n", one.what, one.why);
  return text;
}

} // namespace ddlsim
