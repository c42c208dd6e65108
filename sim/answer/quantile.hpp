#pragma once

#include <vector>

namespace ddlsim {

/// The two ends of the interval that holds 90 % of the worlds.
inline constexpr double low_tail = 0.05;
inline constexpr double high_tail = 0.95;

/// Quantile by linear interpolation between order statistics (Hyndman and Fan type 7); values need not be sorted, at
/// least one.
double quantile(std::vector<double> values, double probability);

} // namespace ddlsim
