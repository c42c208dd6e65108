#include "validate/least_squares.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {

TEST_CASE("two coefficients, never negative") {
  const auto exact = solve_non_negative({{1, 0, 2, 1}, {0, 1, 3, 1}, {1, 1, 5, 1}});
  CHECK(exact.first == Approx(2));
  CHECK(exact.second == Approx(3));
  const auto edge = solve_non_negative({{1, 1, 1, 1}, {1, 2, 0, 1}});
  CHECK(edge.second == 0);
  CHECK(edge.first == Approx(0.5));
  const auto collinear = solve_non_negative({{1, 2, 4, 1}, {2, 4, 8, 1}});
  CHECK(collinear.first + 2 * collinear.second == Approx(4));
  const auto nothing = solve_non_negative({});
  CHECK(nothing.first == 0);
  CHECK(nothing.second == 0);
}

} // namespace ddlsim
