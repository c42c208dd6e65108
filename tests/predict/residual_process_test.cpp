#include "sim/predict/residual_process.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace ddlsim;

namespace {

constexpr ResidualProcess process{0.05, 0.6, 0.7, 0.5};

} // namespace

TEST_CASE("residuals of two scales are alike by how many doublings lie between them") {
  const double whole = 0.05 * 0.05;
  CHECK(covariance(process, {8, 2}, {8, 2}) == Approx(whole).epsilon(1e-12));
  CHECK(covariance(process, {8, 2}, {16, 4}) == Approx(whole * (0.6 + 0.4 * 0.7)).epsilon(1e-12));
  CHECK(covariance(process, {8, 2}, {64, 16}) == Approx(whole * (0.6 + 0.4 * 0.7 * 0.7 * 0.7)).epsilon(1e-12));
  CHECK(covariance(process, {64, 16}, {8, 2}) == covariance(process, {8, 2}, {64, 16}));
  CHECK(covariance(process, {1, 1}, {1 << 30, 2}) >= 0.5 * 0.6 * whole); // the lasting part never fades
}

TEST_CASE("a scale inside a node informs half as much about one across nodes") {
  CHECK(covariance(process, {4, 1}, {8, 2}) == Approx(0.5 * covariance(process, {8, 2}, {16, 4})).epsilon(1e-12));
  CHECK(covariance(process, {2, 1}, {4, 1}) == Approx(covariance(process, {8, 2}, {16, 4})).epsilon(1e-12));
}

TEST_CASE("a batch informs less about its double, and no less where no batch is stated") {
  const auto of_batch = [](double batch) { return Scale{8, 2, 0, 0, batch}; };
  const double whole = 0.05 * 0.05;
  CHECK(covariance(process, of_batch(64), of_batch(64)) == Approx(whole).epsilon(1e-12));
  CHECK(covariance(process, of_batch(64), of_batch(128)) == Approx(0.7 * whole).epsilon(1e-12));
  CHECK(covariance(process, of_batch(256), of_batch(64)) == Approx(0.49 * whole).epsilon(1e-12));
  CHECK(covariance(process, of_batch(64), {8, 2}) == Approx(whole).epsilon(1e-12));
}

TEST_CASE("nothing known: no residual, the process's spread") {
  const auto estimated = estimate_residual(process, {}, {8, 2});
  CHECK(estimated.mean == 0);
  CHECK(estimated.spread == process.spread);
}

TEST_CASE("what is known without noise comes back at its own scale") {
  const auto estimated = estimate_residual(process, {{{8, 2}, 0.03, 0}, {{16, 4}, -0.01, 0}}, {16, 4});
  CHECK(estimated.mean == Approx(-0.01).epsilon(1e-9));
  CHECK(estimated.spread == Approx(0).margin(1e-8)); // the root of a difference of equal numbers, 1e-16 each
}

TEST_CASE("one known residual is estimated by its correlation, weaker where it is noisy") {
  const double alike = 0.6 + 0.4 * 0.7;
  const auto estimated = estimate_residual(process, {{{8, 2}, 0.04, 0}}, {16, 4});
  CHECK(estimated.mean == Approx(alike * 0.04).epsilon(1e-12));
  CHECK(estimated.spread == Approx(0.05 * std::sqrt(1 - alike * alike)).epsilon(1e-12));
  const auto noisy = estimate_residual(process, {{{8, 2}, 0.04, 0.05}}, {16, 4}); // as much noise as spread: half of it
  CHECK(noisy.mean == Approx(0.5 * alike * 0.04).epsilon(1e-12));
  CHECK(noisy.spread == Approx(0.05 * std::sqrt(1 - 0.5 * alike * alike)).epsilon(1e-12));
}

TEST_CASE("beyond what was measured a doubling adds a step of a random walk") {
  ResidualProcess walking = process;
  walking.growth = 0.02;
  CHECK(spread_of_distance(walking, 16, 16) == 0);
  CHECK(spread_of_distance(walking, 8, 16) == 0);
  CHECK(spread_of_distance(walking, 32, 16) == Approx(0.02));
  CHECK(spread_of_distance(walking, 256, 16) == Approx(0.04)); // four doublings, twice the width
  CHECK(spread_of_distance(walking, 256, 0) == 0);             // measured nowhere
}

TEST_CASE("the farther, the less is known, and never less than nothing") {
  double before = 0;
  for (int nodes = 4; nodes <= 4096; nodes *= 2) {
    const auto estimated = estimate_residual(process, {{{8, 2}, 0.04, 0.01}}, {4 * nodes, nodes});
    CHECK(estimated.spread > before);
    CHECK(estimated.spread < process.spread);
    CHECK(estimated.mean > 0);
    before = estimated.spread;
  }
}
