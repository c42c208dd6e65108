#include "sim/neighbours/jobs.hpp"
#include "tests/neighbours/random_jobs.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>

using ddlsim_test::alone_iteration_s;
using ddlsim_test::Fabric;
using ddlsim_test::jobs_of;

namespace {

/// A job's rates are never above those it has alone: what is left is rounding, of a few thousand sums.
constexpr double never_faster = 1e-10;

Fabric drawn(std::mt19937_64& random, const ddlsim_test::Draws& draws) {
  Fabric fabric = random_fabric(random, draws);
  time_alone_by_sum(fabric);
  set_edges_apart(fabric);
  draw_start(random, fabric);
  return fabric;
}

} // namespace

TEST_CASE("neighbours by formula: alone, an iteration is compute or the last transfer, and the rest", "[property]") {
  std::mt19937_64 random(7);
  for (int draw = 0; draw < 200; ++draw) {
    Fabric fabric = drawn(random, {2, 64, 8, 1});
    const auto links = links_of_rings(fabric.rates_Bps, fabric.rings);
    for (const double iteration_s : share_by_formula(links, jobs_of(fabric), 3).iterations_s)
      CHECK(iteration_s == Approx(alone_iteration_s(fabric.rings[0].job)).epsilon(never_faster));
  }
}

TEST_CASE("neighbours by formula: none makes a job faster than alone", "[property]") {
  std::mt19937_64 random(8);
  int slowed = 0;
  for (int draw = 0; draw < 300; ++draw) {
    const Fabric fabric = drawn(random, {4, 256, 8, 2 + draw % 3});
    const double alone_s = alone_iteration_s(fabric.rings[0].job);
    const auto links = links_of_rings(fabric.rates_Bps, fabric.rings);
    const auto times = share_by_formula(links, jobs_of(fabric), 16);
    REQUIRE(times.iterations_s.size() == 16);
    INFO("draw " << draw);
    for (const double iteration_s : times.iterations_s) CHECK(iteration_s >= alone_s * (1 - never_faster));
    slowed += ddlsim_test::mean_s(times) > 1.01 * alone_s ? 1 : 0;
  }
  CHECK(slowed > 100); // else the draws would say nothing
}

TEST_CASE("neighbours by formula: the same input gives the same times, and no message is run") {
  std::mt19937_64 random(9);
  const Fabric fabric = drawn(random, {4, 64, 8, 3});
  const auto links = links_of_rings(fabric.rates_Bps, fabric.rings);
  const auto once = share_by_formula(links, jobs_of(fabric), 16);
  CHECK(once.iterations_s == share_by_formula(links, jobs_of(fabric), 16).iterations_s);
  CHECK(once.messages == 0);
}

TEST_CASE("neighbours by formula: unusable jobs are refused") {
  CHECK_THROWS_AS(ddlsim::share_by_formula({}, {}, 1), std::invalid_argument);
}
