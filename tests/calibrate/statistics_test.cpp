#include "calibrate/statistics.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {

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
