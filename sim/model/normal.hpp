#pragma once
// The standard normal distribution, written out so that every machine gives the same digits.

namespace ddlsim {

/// Phi(z).
double normal_cdf(double z);

/// The z with Phi(z) = probability, 0 < probability < 1, by bisection to the last bit of a double near it.
double normal_quantile(double probability);

/// Expected largest of n standard normals, the integral of z n phi(z) Phi(z)^(n-1); 0 for n <= 1.
double expected_largest_normal(int n);

} // namespace ddlsim
