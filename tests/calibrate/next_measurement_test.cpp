#include "calibrate/fit/calibrate.hpp"
#include "calibrate/fit/step_fit.hpp"
#include "tests/calibrate/planted_cluster.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace ddlsim;
using namespace ddlsim_test;

namespace {

constexpr int most_nodes = 8; ///< of planted_scales()

/// Proposals for the planted cluster, measured to that many nodes, of which there are `available` and may be `growth`.
std::vector<NextMeasurement> proposed(int available, int growth, std::size_t most, int measured_nodes = most_nodes) {
  auto reference = planted_reference();
  auto& cluster = reference.clusters.at("planted");
  cluster.available_nodes = available;
  cluster.growth_max_nodes = growth;
  auto series = planted_data(reference, {"small", "large"});
  Normals normal(3);
  for (auto& one : series)
    std::erase_if(one.points, [&](const DataPoint& point) { return point.nodes > measured_nodes; });
  const StepFitOptions options;
  plant(series, options.residual_process(), normal);
  return next_measurements(series, priors_for(reference.priors), fit_steps(series, options), most);
}

} // namespace

TEST_CASE("what to measure next narrows, the best first, and never more than asked for") {
  const auto all = proposed(16, 64, 10, 1);
  REQUIRE(all.size() >= 2);
  for (const auto& one : all) {
    INFO(one.run);
    CHECK(one.predicted == "large by ring over nccl-ib (pytorch-ddp) on 4 nodes"); // four times one, the largest model
    CHECK(one.now == Approx(all.front().now));
    CHECK(one.then > 0);
    CHECK(one.now - one.then >= 0.01);
  }
  CHECK(std::is_sorted(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.then < b.then; }));
  CHECK(proposed(16, 64, 1, 1).size() == 1);
}

TEST_CASE("the same run on twice the nodes is proposed where there are as many") {
  const auto runs_on = [](const std::vector<NextMeasurement>& all, const std::string& where) {
    return std::any_of(all.begin(), all.end(), [&](const NextMeasurement& one) {
      return one.run == "large by ring over nccl-ib (pytorch-ddp) on " + where;
    });
  };
  CHECK(runs_on(proposed(16, 64, 10), "16 nodes"));
  CHECK(runs_on(proposed(12, 64, 10), "12 nodes"));
  CHECK_FALSE(runs_on(proposed(8, 64, 10), "16 nodes"));
}

TEST_CASE("a cluster that may not grow beyond what was measured has nothing to ask") {
  CHECK(proposed(8, 8, 10).empty());
}
