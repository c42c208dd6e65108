#include "sim/predict/residual_process.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace ddlsim;

namespace {

constexpr CarryLaw law{0.05, 0.6, 0.7, 0.5};

} // namespace

TEST_CASE("residuals of two scales are alike by how many doublings lie between them") {
  const double whole = 0.05 * 0.05;
  CHECK(covariance(law, {8, 2}, {8, 2}) == Approx(whole).epsilon(1e-12));
  CHECK(covariance(law, {8, 2}, {16, 4}) == Approx(whole * (0.6 + 0.4 * 0.7)).epsilon(1e-12));
  CHECK(covariance(law, {8, 2}, {64, 16}) == Approx(whole * (0.6 + 0.4 * 0.7 * 0.7 * 0.7)).epsilon(1e-12));
  CHECK(covariance(law, {64, 16}, {8, 2}) == covariance(law, {8, 2}, {64, 16}));
  CHECK(covariance(law, {1, 1}, {1 << 30, 2}) >= 0.5 * 0.6 * whole); // the lasting part never fades
}

TEST_CASE("a scale inside a node tells half as much of one across nodes") {
  CHECK(covariance(law, {4, 1}, {8, 2}) == Approx(0.5 * covariance(law, {8, 2}, {16, 4})).epsilon(1e-12));
  CHECK(covariance(law, {2, 1}, {4, 1}) == Approx(covariance(law, {8, 2}, {16, 4})).epsilon(1e-12));
}

TEST_CASE("nothing known: no residual, the law's spread") {
  const auto carried = carry(law, {}, {8, 2});
  CHECK(carried.mean == 0);
  CHECK(carried.spread == law.spread);
}

TEST_CASE("what is known without noise comes back at its own scale") {
  const auto carried = carry(law, {{{8, 2}, 0.03, 0}, {{16, 4}, -0.01, 0}}, {16, 4});
  CHECK(carried.mean == Approx(-0.01).epsilon(1e-9));
  CHECK(carried.spread == Approx(0).margin(1e-8)); // the root of a difference of equal numbers, 1e-16 each
}

TEST_CASE("one known residual is carried by its correlation, weaker where it is noisy") {
  const double alike = 0.6 + 0.4 * 0.7;
  const auto carried = carry(law, {{{8, 2}, 0.04, 0}}, {16, 4});
  CHECK(carried.mean == Approx(alike * 0.04).epsilon(1e-12));
  CHECK(carried.spread == Approx(0.05 * std::sqrt(1 - alike * alike)).epsilon(1e-12));
  const auto noisy = carry(law, {{{8, 2}, 0.04, 0.05}}, {16, 4}); // as much noise as spread: half of it
  CHECK(noisy.mean == Approx(0.5 * alike * 0.04).epsilon(1e-12));
  CHECK(noisy.spread == Approx(0.05 * std::sqrt(1 - 0.5 * alike * alike)).epsilon(1e-12));
}

TEST_CASE("the farther, the less is known, and never less than nothing") {
  double before = 0;
  for (int nodes = 4; nodes <= 4096; nodes *= 2) {
    const auto carried = carry(law, {{{8, 2}, 0.04, 0.01}}, {4 * nodes, nodes});
    CHECK(carried.spread > before);
    CHECK(carried.spread < law.spread);
    CHECK(carried.mean > 0);
    before = carried.spread;
  }
}
