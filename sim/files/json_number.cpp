#include "sim/files/json_number.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace ddlsim {

double nine_digits(double value) {
  return std::isfinite(value) ? std::strtod(fmt::format("{:.9g}", value).c_str(), nullptr) : value;
}

} // namespace ddlsim
