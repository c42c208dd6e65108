#include "sim/answer/correlation.hpp"

#include <catch2/catch.hpp>

using ddlsim::correlation;

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
