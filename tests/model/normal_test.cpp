#include "sim/model/normal.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {

TEST_CASE("normal quantile inverts the distribution", "[normal]") {
  for (const double p : {1e-9, 0.001, 0.05, 0.3, 0.5, 0.9, 0.975, 1 - 1e-9})
    CHECK(normal_cdf(normal_quantile(p)) == Approx(p).epsilon(1e-12));
  CHECK(normal_quantile(0.975) == Approx(1.959963984540054).epsilon(1e-12)); // tables
  CHECK(normal_quantile(0.5) == Approx(0).margin(1e-15));
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

} // namespace ddlsim
