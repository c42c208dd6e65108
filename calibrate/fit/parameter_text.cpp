#include "calibrate/fit/parameter_text.hpp"

#include <fmt/format.h>

namespace ddlsim {

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
