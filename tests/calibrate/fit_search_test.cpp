#include "calibrate/fit/fit_search.hpp"
#include "tests/calibrate/planted_cluster.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace ddlsim;
using namespace ddlsim_test;

namespace {

/// Series of servers on two nodes and more, over one transport.
std::vector<SeriesData> servers_data(const ReferenceData& reference) {
  auto all = planted_data(reference, {"small", "large"});
  for (auto& series : all) series.setup.strategy.name = StrategyName::ps;
  return all;
}

/// Unknowns of one field.
FreeParameters unknown(double Parameters::*value, const std::vector<SeriesData>& series) {
  const auto fields = parameter_fields();
  const auto field = static_cast<std::size_t>(
      std::find_if(fields.begin(), fields.end(), [&](const auto& one) { return one.value == value; }) - fields.begin());
  FreeParameters free_parameters;
  free_parameters.all.resize(1);
  free_parameters.all.front().field = field;
  free_parameters.of_series.assign(series.size(), std::vector<int>(fields.size(), -1));
  for (auto& of : free_parameters.of_series) of[field] = 0;
  return free_parameters;
}

/// Searches that start beside the best of the others, wherever these ended.
constexpr std::size_t beside_the_best = 3;

/// Level above -0.4, a valley around -1, and beyond a ridge at -1.9 a hollow at -2.6 that lies higher than the level.
double valley(double z_score) {
  if (z_score > -1.6) return std::min(6.0, 10 * std::abs(z_score + 1));
  if (z_score > -1.9) return 6 - 10 * (z_score + 1.6);
  return 7 + 3 * std::abs(z_score + 2.6);
}

RobustProblem problem_of_valley() {
  RobustProblem problem;
  problem.residuals = [](const std::vector<double>& z_scores) { return std::vector<double>{valley(z_scores[0])}; };
  problem.slopes = [](const std::vector<double>& z_scores) {
    constexpr double step = 1e-4;
    Matrix slopes(1, 1);
    slopes(0, 0) = (valley(z_scores[0] + step) - valley(z_scores[0] - step)) / (2 * step);
    return slopes;
  };
  problem.priors.assign(1, NormalPrior{});
  problem.prior_loss = Loss::cauchy;
  return problem;
}

} // namespace

TEST_CASE("slower connections are found where neither the prior nor very slow ones show the way", "[fit-search]") {
  const auto reference = planted_reference();
  const auto series = servers_data(reference);
  const auto problem = problem_of_valley();
  for (const double start : {0.0, -2.0}) CHECK(std::abs(fit_robust(problem, {start}).unknowns[0] + 1) > 0.5);
  const auto found = search_fits(problem, unknown(&Parameters::server_connection_Bps, series), series);
  CHECK(found.size() == 3 + beside_the_best); // the medians; very slow; somewhat slower
  CHECK(found.front().unknowns[0] == Approx(-1).margin(0.1));
  CHECK(std::is_sorted(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; }));
}

TEST_CASE("other rates, and runs on one node, are not looked for below their priors", "[fit-search]") {
  const auto reference = planted_reference();
  auto series = servers_data(reference);
  const auto problem = problem_of_valley();
  CHECK(search_fits(problem, unknown(&Parameters::server_message_cost_s, series), series).size() ==
        1 + beside_the_best);
  CHECK(search_fits(problem, unknown(&Parameters::nic_efficiency, series), series).size() == 2 + beside_the_best);
  for (auto& one : series) std::erase_if(one.points, [](const DataPoint& point) { return point.nodes > 1; });
  CHECK(search_fits(problem, unknown(&Parameters::server_connection_Bps, series), series).size() ==
        1 + beside_the_best);
}

TEST_CASE("a search that ends on a stair is begun again beside it", "[fit-search]") {
  const auto reference = planted_reference();
  const auto series = servers_data(reference);
  RobustProblem stairs = problem_of_valley();
  stairs.residuals = [](const std::vector<double>& z_scores) { // down on both sides, a stair of 0.125 each
    return std::vector<double>{8 - 8 * std::floor(std::abs(z_scores[0]) / 0.125) * 0.125};
  };
  stairs.slopes = [](const std::vector<double>&) { return Matrix(1, 1); }; // none on a stair
  const auto alone = fit_robust(stairs, {0.0});
  const auto found = search_fits(stairs, unknown(&Parameters::server_message_cost_s, series), series);
  CHECK(found.front().cost < alone.cost);
}
