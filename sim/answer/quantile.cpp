#include "sim/answer/quantile.hpp"

#include <algorithm>
#include <cmath>

namespace ddlsim {

double quantile(std::vector<double> values, double probability) {
  std::sort(values.begin(), values.end());
  const double place = probability * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const auto above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - std::floor(place)) * (values[above] - values[below]);
}

} // namespace ddlsim
