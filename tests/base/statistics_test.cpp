#include "sim/base/statistics.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using ddlsim::are_correlations;
using ddlsim::correlation;
using ddlsim::normal_quantile;
using ddlsim::quantile_of_floored_normals;
using ddlsim::quantile_of_normals;

TEST_CASE("Pearson's correlation of what can be worked out by hand") {
  CHECK(correlation({1, 2, 3}, {10, 20, 30}) == Approx(1).epsilon(1e-12));
  CHECK(correlation({1, 2, 3}, {3, 2, 1}) == Approx(-1).epsilon(1e-12));
  CHECK(correlation({1, 2, 3, 4}, {1, -1, -1, 1}) == Approx(0).margin(1e-12));
  CHECK(correlation({0, 0, 1}, {0, 1, 1}) == Approx(0.5).epsilon(1e-12)); // 1/3 over 2/3
}

TEST_CASE("what does not vary is correlated with nothing") {
  CHECK(correlation({1, 1, 1}, {1, 2, 3}) == 0);
  CHECK(correlation({1, 2, 3}, {5, 5, 5}) == 0);
  CHECK(correlation({4}, {7}) == 0);
}

namespace ddlsim {

TEST_CASE("quantiles interpolate between order statistics", "[quantile]") {
  const std::vector<double> values{5, 1, 4, 2, 3};
  CHECK(quantile(values, 0) == 1);
  CHECK(quantile(values, 1) == 5);
  CHECK(quantile(values, 0.5) == 3);
  CHECK(quantile(values, 0.1) == Approx(1.4));
  CHECK(quantile({7}, 0.9) == 7);
}

TEST_CASE("normal quantile inverts the distribution", "[normal]") {
  for (const double p : {1e-9, 0.001, 0.05, 0.3, 0.5, 0.9, 0.975, 1 - 1e-9})
    CHECK(normal_cdf(normal_quantile(p)) == Approx(p).epsilon(1e-12));
  CHECK(normal_quantile(0.975) == Approx(1.959963984540054).epsilon(1e-12)); // tables
  CHECK(normal_quantile(0.5) == Approx(0).margin(1e-15));
}

TEST_CASE("quantiles of a mixture of normals", "[normal]") {
  CHECK(quantile_of_normals({3}, 2, 0.95) == Approx(3 + 2 * normal_quantile(0.95)).epsilon(1e-8));
  CHECK(quantile_of_normals({1, 2, 3}, 0, 0.5) == 2); // the centres' own
  CHECK(quantile_of_normals({-5, 5}, 1, 0.5) == Approx(0).margin(1e-6));
  CHECK(quantile_of_normals({-50, 50}, 1, 0.05) == Approx(-50 + normal_quantile(0.1)).epsilon(1e-7)); // the left alone
  const std::vector<double> centres{0.1, 0.4, 0.7, 2};
  for (const double probability : {0.05, 0.3, 0.95}) {
    const double at = quantile_of_normals(centres, 0.6, probability);
    double below = 0;
    for (const double centre : centres) below += normal_cdf((at - centre) / 0.6) / 4;
    CHECK(below == Approx(probability).epsilon(1e-7));
  }
}

/// What quantile_of_normals() comes to, by nothing but halving.
double by_halving(const std::vector<double>& centres, double deviation, double probability) {
  const auto [least, most] = std::minmax_element(centres.begin(), centres.end());
  double low = *least + deviation * normal_quantile(probability);
  double high = *most + deviation * normal_quantile(probability);
  for (int step = 0; step < 30; ++step) {
    const double middle = 0.5 * (low + high);
    double below = 0;
    for (const double centre : centres) below += normal_cdf((middle - centre) / deviation);
    (below < probability * static_cast<double>(centres.size()) ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

TEST_CASE("a quantile of normals is that of halving, to the bit", "[normal]") {
  std::mt19937_64 random(1);
  const auto between = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random() >> 11U) / 9007199254740992.0; // 2^53
  };
  for (int mixture = 0; mixture < 300; ++mixture) {
    const double deviation = std::pow(10, between(-7, 1));
    const double widest = std::pow(10, between(-4, 1));
    const double far = between(0, 1) < 0.2 ? 30 : 0; // two heaps
    std::vector<double> centres(1 + random() % 400);
    for (double& centre : centres) centre = between(-widest, widest) + far * static_cast<double>(random() % 2) - 3;
    for (const double probability : {0.05, 0.5, 0.95})
      CHECK(quantile_of_normals(centres, deviation, probability) == by_halving(centres, deviation, probability));
  }
}

TEST_CASE("largest of n normals, exact values", "[normal]") {
  CHECK(expected_largest_normal(1) == 0);
  CHECK(expected_largest_normal(2) == Approx(0.5641895835477563).epsilon(1e-9)); // 1 / sqrt(pi)
  CHECK(expected_largest_normal(3) == Approx(0.8462843753216345).epsilon(1e-9)); // 3 / (2 sqrt(pi))
  CHECK(expected_largest_normal(10) == Approx(1.538752730835).epsilon(1e-9));    // Harter 1961
  CHECK(expected_largest_normal(1000) == Approx(3.2414357692).epsilon(1e-6));
  double last = 0;
  for (int n = 2; n < 2'000'000; n *= 3) { // the integral stays good where its peak is narrow
    const double largest = expected_largest_normal(n);
    CHECK(largest > last);
    last = largest;
  }
}

TEST_CASE("mean, median, deviation of small lists") {
  CHECK(mean({}) == 0);
  CHECK(median({}) == 0);
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 2, 3}) == 2.5);
  CHECK(standard_deviation({1}) == 0);
  CHECK(standard_deviation({1, 3}) == Approx(std::sqrt(2.0)));
}

TEST_CASE("weighted quantiles") {
  CHECK(weighted_quantile({}, 0.5) == 0);
  CHECK(weighted_quantile({{3, 1}, {1, 1}, {2, 1}}, 0.5) == 2);
  CHECK(weighted_quantile({{1, 9}, {2, 1}}, 0.9) == 1);
  CHECK(weighted_quantile({{1, 9}, {2, 1}}, 0.91) == 2);
  CHECK(weighted_quantile({{1, 1}, {2, 1}}, 1) == 2);
}

TEST_CASE("the bootstrap is a function of its seed and stays within the values") {
  const std::vector<double> values{0.1, 0.2, 0.4, 0.8};
  const auto one = bootstrap_mean(values, 500, 7), again = bootstrap_mean(values, 500, 7);
  CHECK(one.low == again.low);
  CHECK(one.high == again.high);
  CHECK(one.low >= 0.1);
  CHECK(one.high <= 0.8);
  CHECK(one.low < mean(values));
  CHECK(one.high > mean(values));
  CHECK(bootstrap_mean({0.3}, 500, 7).low == 0.3);
}

} // namespace ddlsim

TEST_CASE("a mixture of normals with floors has the quantiles of the greater of the two", "[quantile]") {
  const std::vector<double> centres{1, 2, 4};
  const double none = -std::numeric_limits<double>::infinity();
  for (const double p : {0.05, 0.5, 0.95})
    CHECK(quantile_of_floored_normals(centres, {none, none, none}, 0.3, p) ==
          Approx(quantile_of_normals(centres, 0.3, p)).margin(1e-6));
  CHECK(quantile_of_floored_normals(centres, {9, 9, 9}, 0.3, 0.05) == Approx(9));
  CHECK(quantile_of_floored_normals({1}, {1.5}, 1, 0.95) == Approx(1 + normal_quantile(0.95)));
  CHECK(quantile_of_floored_normals({1}, {1.5}, 1, 0.5) == Approx(1.5));
  CHECK(quantile_of_floored_normals({1, 2}, {3, none}, 0, 0.5) == Approx(2)); // half are done at 2, all at 3
  CHECK(quantile_of_floored_normals({1, 2}, {3, none}, 0, 0.6) == Approx(3));
}

TEST_CASE("rows of correlations are those of a positive definite matrix, or not") {
  CHECK(are_correlations({}, 0));
  CHECK(are_correlations({{}, {0.9}, {0.9, 0.9}}, 0));
  CHECK_FALSE(are_correlations({{}, {0.9}, {-0.9, 0.9}}, 0)); // alike, and alike, and opposite
  CHECK_FALSE(are_correlations({{}, {1}}, 0));
  CHECK(are_correlations({{}, {1}}, 1e-4)); // within the digits of a file
}
