#include "sim/answer/text_numbers.hpp"

#include "sim/files/units.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ddlsim {

std::string seconds_text(double time_s) {
  return print_quantity(time_s, Dimension::time);
}

std::string rate_text(double samples_per_s) {
  if (samples_per_s < 1e4) return fmt::format("{:.4g}", samples_per_s);
  const double scale = std::pow(10.0, std::floor(std::log10(samples_per_s)) - 3);
  return fmt::format("{:.0f}", std::round(samples_per_s / scale) * scale);
}

std::string percent_text(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

} // namespace ddlsim
