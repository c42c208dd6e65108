#include "calibrate/data/data_checks.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ddlsim {

bool is_unit_mistake(double ln_ratio) {
  return std::abs(ln_ratio) > std::log(100.0);
}

std::string unit_mistake_text(double ln_ratio, const std::string& than) {
  const double factor = std::exp(std::abs(ln_ratio));
  constexpr double digits = 10; // factor that keeps two significant digits
  const double rounding = std::pow(digits, std::floor(std::log10(factor)) - 1);
  return fmt::format("about {:.0f} times {} than {}: a slip of the unit (s, ms or us)?",
                     std::round(factor / rounding) * rounding, ln_ratio > 0 ? "longer" : "shorter", than);
}

} // namespace ddlsim
