#pragma once
// Statistics, the same digits on every machine: quantiles, correlation, the standard normal distribution, means,
// bootstrap.

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace ddlsim {

/// The two ends of the interval that holds 90 % of the samples.
inline constexpr double low_tail = 0.05;
inline constexpr double high_tail = 0.95;

/// Quantile by linear interpolation between order statistics (Hyndman and Fan type 7); values need not be sorted, at
/// least one.
double quantile(std::vector<double> values, double probability);

/// Pearson's, of two lists of one length; 0 where one of them does not vary.
double correlation(const std::vector<double>& x, const std::vector<double>& y);

/// Share of a normal quantity's width that is left once a quantity of that correlation with it is known: sqrt(1 - r^2),
/// by linear regression.
double width_left(double correlation);

/// Phi(z) of the standard normal distribution, written out so that every machine gives the same digits.
double normal_cdf(double z);

/// The z with Phi(z) = probability, 0 < probability < 1, by bisection to the last bit of a double near it.
double normal_quantile(double probability);

/// Quantile of the mixture of normal distributions about these centres, equally likely and of one standard deviation,
/// by bisection to a millionth of the distance between the outermost; of the centres themselves where the deviation is
/// 0.
double quantile_of_normals(const std::vector<double>& centres, double deviation, double probability);

/// The same where none of them is below its own floor: of max(floors[i], normal(centres[i], deviation)). A floor may be
/// -infinity.
double quantile_of_floored_normals(const std::vector<double>& centres, const std::vector<double>& floors,
                                   double deviation, double probability);

/// Expected largest of n standard normals, the integral of z n phi(z) Phi(z)^(n-1); 0 for n <= 1.
double expected_largest_normal(int n);

double mean(const std::vector<double>& values);               ///< 0 for none
double median(std::vector<double> values);                    ///< 0 for none; the mean of the middle two
double standard_deviation(const std::vector<double>& values); ///< of a sample (n - 1); 0 for fewer than two

/// Whether rows of correlations, row i with those before it, are of a positive definite matrix once `rounding` is added
/// to its diagonal of ones.
bool are_correlations(const std::vector<std::vector<double>>& rows, double rounding);

/// Value and weight.
using Weighted = std::pair<double, double>;

/// Smallest value with at least `share` of the weight at or below it; 0 for none.
double weighted_quantile(std::vector<Weighted> values, double share);

/// A random order of 0..count-1 by Fisher and Yates; std::shuffle's output differs between libraries.
std::vector<int> random_order(int count, std::mt19937_64& random);

/// 5 % and 95 % of the means of `draws` resamples of the values, drawn with replacement; both the mean when there is
/// one value.
struct Range {
  double low = 0;
  double high = 0;
};
Range bootstrap_mean(const std::vector<double>& values, int draws, std::uint64_t seed);

} // namespace ddlsim
