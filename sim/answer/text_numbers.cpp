#include "sim/answer/text_numbers.hpp"

#include "sim/files/units.hpp"

#include <fmt/format.h>

namespace ddlsim {

std::string seconds_text(double time_s) {
  return print_quantity(time_s, Dimension::time);
}

std::string percent_text(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

} // namespace ddlsim
