// A repeat that agrees with what was measured never makes the program less sure.

#include "calibrate/fit/step_fit.hpp"
#include "sim/predict/ask.hpp"
#include "tests/calibrate/planted_cluster.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace ddlsim;
using namespace ddlsim_test;

namespace {

constexpr int pairs = 20;

/// A cluster whose one model was measured at all scales, with times drawn from the priors and the residual process.
struct MeasuredCluster {
  ReferenceData reference = planted_reference();
  std::vector<Record> records;

  explicit MeasuredCluster(std::uint64_t seed) {
    reference.clusters.at("planted").growth_max_nodes = 64;
    auto planted = planted_data(reference, {"middle"});
    Normals normal(seed);
    plant(planted, StepFitOptions{}.residual_process(), normal);
    std::vector<double> times_s;
    for (const auto& point : planted[0].points) times_s.push_back(point.measured_s);
    records = planted_records("middle", times_s);
  }
};

/// Width of ln(iteration time) that a calibration on these records leaves at that scale.
double width_at(int gpus, const ReferenceData& reference, const std::vector<Record>& records) {
  const std::vector<MeasurementFile> files{planted_file(records)};
  const auto& cluster = reference.clusters.at("planted");
  const auto one_gpu_times = one_gpu_times_of(reference, cluster, files);
  const auto calibration = as_written(fit_cluster(reference, "planted", group_series(files), files).calibration);
  const Knowledge known{
      cluster,          reference.gpus, reference.presets,
      reference.priors, &calibration,   [&](const ComputeQuestion& question) { return one_gpu_times->find(question); }};
  Scenario scenario;
  scenario.name = "repeat";
  scenario.model = "middle";
  scenario.batch_per_gpu = 32;
  scenario.cluster = "planted";
  scenario.preset = "pytorch-ddp";
  scenario.series = "middle-ddp";
  scenario.strategies.resize(1);
  scenario.strategies[0].name = StrategyName::automatic;
  const auto curve = make_curve(scenario, scenario.strategies[0], reference.models.at(scenario.model), known);
  const auto point = predict_point(curve, gpus, Fidelity::formula).point;
  REQUIRE(point.error.empty());
  return std::log(point.iteration_s_high / point.iteration_s_low);
}

} // namespace

TEST_CASE("a repeat that agrees never widens the interval of its point", "[relations]") {
  constexpr double rounding = 1e-9;
  for (std::uint64_t seed = 1; seed <= pairs; ++seed) {
    MeasuredCluster cluster(seed);
    const auto again = std::get<StepRecord>(cluster.records[2 + seed % (cluster.records.size() - 2)]);
    const double before = width_at(again.gpus, cluster.reference, cluster.records);
    cluster.records.emplace_back(again);
    const double after = width_at(again.gpus, cluster.reference, cluster.records);
    INFO("seed " << seed << ", " << again.gpus << " GPUs measured again");
    CHECK(after <= before * (1 + rounding));
  }
}
