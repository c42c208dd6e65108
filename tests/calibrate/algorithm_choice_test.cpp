#include "calibrate/fit/algorithm_choice.hpp"
#include "calibrate/fit/step_fit.hpp"
#include "tests/calibrate/planted_cluster.hpp"

#include <catch2/catch.hpp>

using namespace ddlsim;
using namespace ddlsim_test;

namespace {

constexpr LibraryVersion rings{CollectiveLibrary::nccl, 2, 3, 0};
constexpr LibraryVersion trees{CollectiveLibrary::nccl, 2, 4, 0};
constexpr LibraryVersion newest{CollectiveLibrary::nccl, 2, 23, 0};

/// Reference data whose one preset leaves the all-reduce open.
ReferenceData open_reference_data() {
  auto reference = planted_reference();
  reference.clusters.at("planted").intra.kind = IntraKind::nvlink_mesh; // on two nodes of which 2.4 takes trees only
  reference.presets[0].libraries = {{rings, 0.6}, {trees, 0.3}, {newest, 0.1}};
  return reference;
}

} // namespace

TEST_CASE("a preset with one library leaves nothing open") {
  const auto reference = planted_reference();
  const auto series = planted_data(reference, {"small", "middle"});
  const AlgorithmChoices algorithm_choices(series);
  CHECK(algorithm_choices.count() == 0);
  Parameters sample;
  algorithm_choices.put(0, sample);
  CHECK_FALSE(sample.library);
  CHECK(algorithm_choices.calibrated().empty());
}

TEST_CASE("series on one transport share one choice, another transport has its own") {
  const auto reference = open_reference_data();
  auto series = planted_data(reference, {"small", "middle"});
  CHECK(AlgorithmChoices(series).count() == 1);
  series[1].scope.transport = "mpi-ib";
  CHECK(AlgorithmChoices(series).count() == 2);
}

TEST_CASE("a series that states its library leaves nothing open") {
  const auto reference = open_reference_data();
  auto series = planted_data(reference, {"small"});
  series[0].setup.strategy.library = trees;
  CHECK(AlgorithmChoices(series).count() == 0);
}

TEST_CASE("one GPU decides nothing about a library") {
  const auto reference = open_reference_data();
  auto series = planted_data(reference, {"small"});
  series[0].points.resize(1);
  series[0].points[0].gpus = 1;
  CHECK(AlgorithmChoices(series).count() == 0);
}

TEST_CASE("a sample runs what is chosen") {
  const auto reference = open_reference_data();
  const auto series = planted_data(reference, {"small"});
  AlgorithmChoices algorithm_choices(series);
  const auto& choices = reference.presets[0].libraries;
  const auto chosen = [&] {
    Parameters sample;
    algorithm_choices.put(0, sample);
    return to_text(*sample.library);
  };
  CHECK(chosen() == "nccl 2.3"); // starts at the likeliest
  for (std::size_t c = 0; c < choices.size(); ++c) {
    algorithm_choices.choose(0, c);
    CHECK(chosen() == to_text(choices[c].version));
  }
}

TEST_CASE("weights are the preset's times exp of a quarter of what a choice costs more") {
  const auto reference = open_reference_data();
  const auto series = planted_data(reference, {"small"});
  AlgorithmChoices algorithm_choices(series);
  CHECK(algorithm_choices.calibrated()[0].name == "nccl 2.3"); // nothing tried: the preset's likeliest
  algorithm_choices.set_cost(0, 0, 18);
  algorithm_choices.set_cost(0, 1, 10);
  CHECK(algorithm_choices.weight(0, 1) == Approx(0.3));
  CHECK(algorithm_choices.weight(0, 0) == Approx(0.6 * std::exp(-2.0)));
  CHECK(algorithm_choices.weight(0, 2) == 0); // not tried
  algorithm_choices.choose(0, 1);
  const auto calibrated = algorithm_choices.calibrated();
  REQUIRE(calibrated.size() == 1);
  CHECK(calibrated[0].scope == CalibrationScope{"nccl-ib", "", {}, "", 0});
  CHECK_FALSE(calibrated[0].servers);
  CHECK(calibrated[0].name == "nccl 2.4");
}

TEST_CASE("servers and all-reduces are chosen apart") {
  auto reference = open_reference_data();
  reference.presets[0].shardings = {{"bytes", 0.5}, {"round-robin", 0.5}};
  auto series = planted_data(reference, {"small", "middle"});
  series[1].setup.strategy.name = StrategyName::ps;
  AlgorithmChoices algorithm_choices(series);
  REQUIRE(algorithm_choices.count() == 2);
  CHECK(algorithm_choices.choices(0).size() == 3);
  CHECK(algorithm_choices.choices(1).size() == 2);
  REQUIRE(algorithm_choices.calibrated().size() == 2);
  CHECK_FALSE(algorithm_choices.calibrated()[0].servers);
  CHECK(algorithm_choices.calibrated()[1].servers);
}

TEST_CASE("the library is found that the times were made with") {
  const auto reference = open_reference_data();
  auto series = planted_data(reference, {"small", "middle", "large"});
  for (auto& one : series) {
    one.setup.strategy.name = StrategyName::all_reduce; // a record that does not say which
    for (auto& prior : one.priors) {                    // with a share of the rate at which both libraries differ
      if (prior.parameter != "nic_efficiency") continue;
      prior.median = 0.77;
      prior.width = 0.34;
    }
    for (auto& point : one.points) point.strategy.name = StrategyName::all_reduce;
  }
  const auto free_parameters = find_free_parameters(series);
  const std::vector<double> truth(free_parameters.all.size(), 0);
  const auto found = [&](std::size_t planted) {
    AlgorithmChoices algorithm_choices(series);
    algorithm_choices.choose(0, planted);
    for (std::size_t s = 0; s < series.size(); ++s) {
      auto sample = sample_at(free_parameters, series[s], s, truth);
      algorithm_choices.put(s, sample);
      for (auto& point : series[s].points) point.measured_s = model_time_s(series[s], point, sample);
    }
    return fit_steps(series, {}).choices.at(0).name;
  };
  CHECK(found(0) == "nccl 2.3");
  CHECK(found(1) == "nccl 2.4");
}
