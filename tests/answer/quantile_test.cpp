#include "sim/answer/quantile.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {

TEST_CASE("quantiles interpolate between order statistics", "[quantile]") {
  const std::vector<double> values{5, 1, 4, 2, 3};
  CHECK(quantile(values, 0) == 1);
  CHECK(quantile(values, 1) == 5);
  CHECK(quantile(values, 0.5) == 3);
  CHECK(quantile(values, 0.1) == Approx(1.4));
  CHECK(quantile({7}, 0.9) == 7);
}

} // namespace ddlsim
