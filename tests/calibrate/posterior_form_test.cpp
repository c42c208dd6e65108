#include "calibrate/fit/step_fit.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace ddlsim;

namespace {

/// Two rates of which only the smaller shows: `seen` is its measured z-score.
RobustProblem smaller_of_two(double seen) {
  constexpr double precision = 20;
  RobustProblem problem;
  problem.residuals = [=](const std::vector<double>& rates) {
    return std::vector{precision * (std::min(rates[0], rates[1]) - seen)};
  };
  problem.slopes = [=](const std::vector<double>& rates) {
    Matrix slopes(1, 2);
    slopes(0, rates[0] < rates[1] ? 0 : 1) = precision;
    return slopes;
  };
  problem.priors.assign(2, NormalPrior{});
  return problem;
}

} // namespace

TEST_CASE("two rates of which the smaller shows are two regions, though their ends are a deviation apart") {
  const double seen = -1;
  const auto problem = smaller_of_two(seen);
  const auto first = fit_robust(problem, {-1.5, 0});
  const auto second = fit_robust(problem, {0, -1.5});
  const auto modes = find_modes(problem, first, {second, fit_robust(problem, {0.2, -1.2}), first});
  REQUIRE(modes.size() == 2);
  CHECK(std::abs(modes[0].share - 0.5) < 0.1); // by symmetry; 100 draws weigh each

  const auto form = form_of(problem, modes);
  CHECK(form.modes == 2);
  REQUIRE(std::abs(static_cast<int>(form.draws.size()) - 100) <= 1); // each region rounds its share
  const auto slow_first = std::count_if(form.draws.begin(), form.draws.end(),
                                        [](const std::vector<double>& rates) { return rates[0] < rates[1]; });
  CHECK(slow_first >= 40);
  CHECK(slow_first <= 60);
  const bool all_as_seen = std::all_of(form.draws.begin(), form.draws.end(), [&](const std::vector<double>& rates) {
    return std::abs(std::min(rates[0], rates[1]) - seen) < 0.25; // five deviations of the measurement
  });
  CHECK(all_as_seen);
}

TEST_CASE("the bend where a bound begins is no region beside what lies above it") {
  // a rate below -1 would have been seen; a faster one looks the same
  RobustProblem problem;
  problem.residuals = [](const std::vector<double>& rate) { return std::vector{20 * std::min(0.0, rate[0] + 1)}; };
  problem.slopes = [](const std::vector<double>& rate) {
    Matrix slopes(1, 1);
    slopes(0, 0) = rate[0] < -1 ? 20 : 0;
    return slopes;
  };
  problem.priors.assign(1, NormalPrior{});
  const auto above = fit_robust(problem, {0.5});
  RobustFit bend;
  bend.unknowns = {-1.01};
  bend.residuals = problem.residuals(bend.unknowns);
  bend.slopes = problem.slopes(bend.unknowns);
  bend.cost = above.cost + 0.5;
  const auto modes = find_modes(problem, bend, {above});
  REQUIRE(modes.size() == 1);
  CHECK(modes.front().share == 1);
  CHECK(std::abs(modes.front().fit.unknowns[0]) < 0.01); // draws about the bend alone would stay there
}

TEST_CASE("a fit without unknowns is one region") {
  RobustProblem problem;
  problem.residuals = [](const std::vector<double>&) { return std::vector{0.5}; };
  problem.slopes = [](const std::vector<double>&) { return Matrix(1, 0); };
  const auto fit = fit_robust(problem, {});
  CHECK(find_modes(problem, fit, {fit, fit}).size() == 1);
}
