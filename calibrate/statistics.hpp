#pragma once
// Small sums over lists of numbers, the same on every machine.

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace ddlsim {

double mean(const std::vector<double>& values);               ///< 0 for none
double median(std::vector<double> values);                    ///< 0 for none; the mean of the middle two
double standard_deviation(const std::vector<double>& values); ///< of a sample (n - 1); 0 for fewer than two

/// Value and weight.
using Weighted = std::pair<double, double>;

/// Smallest value with at least `share` of the weight at or below it; 0 for none.
double weighted_quantile(std::vector<Weighted> values, double share);

/// 5 % and 95 % of the means of `draws` resamples of the values, drawn with replacement; both the mean when there is
/// one value.
struct Range {
  double low = 0;
  double high = 0;
};
Range bootstrap_mean(const std::vector<double>& values, int draws, std::uint64_t seed);

} // namespace ddlsim
