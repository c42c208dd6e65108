#include "sim/compute/candidates.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace ddlsim {

TEST_CASE("at its own batch a record alone counts, beyond a factor 1.5 not at all", "[evidence]") {
  const std::vector<NeighbourBatch> near{{64, 0.2}, {80, 0.9}};
  CHECK(join_neighbour_batches(0.5, 64, near).time_s == 0.2);
  CHECK(join_neighbour_batches(0.5, 64, near).deviation == 0);
  CHECK(is_near(64, 95.9));
  CHECK_FALSE(is_near(64, 96.1));
  CHECK_FALSE(is_near(64, 42));
  CHECK(join_neighbour_batches(0.5, 200, near).time_s == 0.5);
  CHECK(join_neighbour_batches(0.5, 64, {}).time_s == 0.5);
}

TEST_CASE("half-way to where it is no longer near a record weighs as much as the other time", "[evidence]") {
  const auto joined = join_neighbour_batches(0.4, 64 * std::sqrt(1.5), {{64, 0.1}});
  CHECK(joined.time_s == Approx(0.2));
  CHECK(joined.near_s == Approx(0.1));
  CHECK(joined.deviation == Approx(std::log(4.0) / 2));
}

TEST_CASE("the joined time has no jump", "[evidence]") {
  const std::vector<NeighbourBatch> near{{64, 0.2}, {80, 0.3}};
  for (double batch = 40; batch < 130; batch += 0.1) {
    const double step =
        join_neighbour_batches(0.25, batch + 0.1, near).time_s / join_neighbour_batches(0.25, batch, near).time_s;
    CHECK(std::abs(std::log(step)) < 0.015); // ln 1.5 between the two records within ln 1.25: 0.02 in steps of 0.1/64
  }
}

} // namespace ddlsim
