#pragma once
// Statistics that give the same digits on every machine: quantiles, correlation, the standard normal distribution,
// means, bootstrap.

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace ddlsim {

/// The probabilities of the two ends of the interval that holds 90 % of the samples.
inline constexpr double low_tail = 0.05;
inline constexpr double high_tail = 0.95;

/// Quantile by linear interpolation between order statistics (Hyndman and Fan, type 7). There must be at least one
/// value; values need not be sorted.
double quantile(std::vector<double> values, double probability);

/// Pearson's correlation of two lists of the same length; 0 when one of them does not vary.
double correlation(const std::vector<double>& x, const std::vector<double>& y);

/// Share of a normal quantity's standard deviation that remains once another quantity with this correlation to it is
/// known: sqrt(1 - r^2), by linear regression.
double width_left(double correlation);

/// Phi(z) of the standard normal distribution. It is computed here so that every machine gives the same digits.
double normal_cdf(double z);

/// The z with Phi(z) = probability, where 0 < probability < 1. It is found by bisection to the last bit of a double
/// near it.
double normal_quantile(double probability);

/// Quantile of a mixture of normal distributions that have these centres, equal weights and one standard deviation. It
/// is found by bisection to a millionth of the distance between the outermost centres. With a deviation of 0 it is the
/// quantile of the centres.
double quantile_of_normals(const std::vector<double>& centres, double deviation, double probability);

/// quantile_of_normals() for components that cannot fall below a floor of their own: max(floors[i], normal(centres[i],
/// deviation)). A floor may be -infinity.
double quantile_of_floored_normals(const std::vector<double>& centres, const std::vector<double>& floors,
                                   double deviation, double probability);

/// Expected largest of n standard normals: the integral of z n phi(z) Phi(z)^(n-1); 0 for n <= 1.
double expected_largest_normal(int n);

double mean(const std::vector<double>& values); ///< mean of the values; 0 without values
double median(std::vector<double> values);      ///< the middle value, or the mean of the middle two; 0 without values
/// standard deviation of a sample (n - 1); 0 for fewer than two values
double standard_deviation(const std::vector<double>& values);

/// Returns whether a lower triangle of correlations (row i has those with earlier entries) belongs to a positive
/// definite matrix once `rounding` is added to its diagonal of ones.
bool are_correlations(const std::vector<std::vector<double>>& rows, double rounding);

/// A value and its weight.
using Weighted = std::pair<double, double>;

/// Smallest value with at least `share` of the weight at or below it; 0 without values.
double weighted_quantile(std::vector<Weighted> values, double share);

/// A random order of 0..count-1 by Fisher and Yates. std::shuffle is not used, because its result differs between
/// libraries.
std::vector<int> random_order(int count, std::mt19937_64& random);

/// The 5 % and 95 % quantiles of the means of `draws` resamples of the values, drawn with replacement. Both are the
/// mean when there is one value.
struct Range {
  double low = 0;
  double high = 0;
};
Range bootstrap_mean(const std::vector<double>& values, int draws, std::uint64_t seed);

} // namespace ddlsim
