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

/// Two runs of one setup agree when they differ by as much as published repeats do.
constexpr double apart = 0.005;

Scenario question_at(int gpus) {
  Scenario scenario;
  scenario.name = "repeat";
  scenario.model = "middle";
  scenario.batch_per_gpu = 64;
  scenario.cluster = "planted";
  scenario.gpus = {gpus};
  scenario.preset = "pytorch-ddp";
  scenario.strategies.resize(1);
  scenario.strategies[0].name = StrategyName::ring;
  return scenario;
}

/// Width of ln(iteration time) that a calibration on these records leaves.
double width_of(const ReferenceData& reference, std::vector<Record> records, const Scenario& scenario) {
  const std::vector<MeasurementFile> files{planted_file(std::move(records))};
  const auto& cluster = reference.clusters.at("planted");
  const auto one_gpu_times = one_gpu_times_of(reference, cluster, files);
  std::vector<SeriesData> fit_data;
  for (const auto& series : group_series(files))
    fit_data.push_back(*series_data(reference, reference.priors, series, *one_gpu_times));
  const auto calibration = fit_steps(fit_data, {});
  const Knowledge known{
      cluster,          reference.gpus, reference.presets,
      reference.priors, &calibration,   [&](const ComputeQuestion& question) { return one_gpu_times->find(question); }};
  const auto curve = make_curve(scenario, scenario.strategies[0], reference.models.at(scenario.model), known);
  const auto point = predict_point(curve, scenario.gpus[0], Fidelity::closed_form).point;
  REQUIRE(point.error.empty());
  return std::log(point.iteration_s_high / point.iteration_s_low);
}

} // namespace

TEST_CASE("a repeat that agrees never widens an interval", "[relations]") {
  auto reference = planted_reference();
  reference.clusters.at("planted").growth_max_nodes = 64;
  auto planted = planted_data(reference, {"middle"});
  for (std::uint64_t seed = 1; seed <= pairs; ++seed) {
    Normals normal(seed);
    plant(planted, StepFitOptions{}.residual_process, normal);
    std::vector<double> times_s;
    for (const auto& point : planted[0].points) times_s.push_back(point.measured_s);
    auto records = planted_records("middle", times_s);
    const int gpus = 8 << (seed % 6);
    const double before = width_of(reference, records, question_at(gpus));
    auto again = std::get<StepRecord>(records[2 + seed % (records.size() - 2)]);
    again.iteration_s *= seed % 2 == 0 ? 1 + apart : 1 - apart;
    records.emplace_back(again);
    const double after = width_of(reference, records, question_at(gpus));
    INFO("seed " << seed << ", " << again.gpus << " GPUs measured again, " << gpus << " asked");
    printf("%d %d %d %g %g %g\n", static_cast<int>(seed), again.gpus, gpus, before, after, after / before - 1);
    CHECK(after <= before);
  }
}
