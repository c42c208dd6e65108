#include "sim/predict/implied_times.hpp"

#include "sim/base/error.hpp"
#include "sim/iteration/step.hpp"
#include "sim/predict/posterior.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace ddlsim {
namespace {

StepSetup setup_of(const ShardedRun& run, const Transport& transport) {
  const auto& record = run.record;
  StepSetup setup{run.model, run.gpu, run.cluster, run.preset, transport, record.strategy};
  setup.precision = record.precision;
  setup.wire_bytes_per_parameter = bytes_per_parameter(record.wire_precision);
  setup.batch_per_gpu = record.batch_per_gpu;
  setup.gpus = record.gpus;
  setup.gpus_per_node = record.gpus_per_node;
  setup.fabrics = std::make_shared<PlacedFabrics>(run.cluster, transport, Surroundings{});
  return setup;
}

/// Fixed point of t <- t x measured / simulated(t): what synchronisation adds falls, where it is hidden behind compute,
/// or stays as t grows, so that the ratio goes to 1.
double one_gpu_within(StepSetup setup, const Parameters& sample, double measured_s) {
  constexpr int most_passes = 50;
  constexpr double close_enough = 1e-6; // of ln: far below what is measured
  setup.one_gpu_s = measured_s;
  for (int pass = 0; pass < most_passes; ++pass) {
    const double ratio = measured_s / time_step(setup, sample, Fidelity::screening).iteration_s;
    setup.one_gpu_s *= ratio;
    if (std::abs(std::log(ratio)) < close_enough) break;
  }
  return setup.one_gpu_s;
}

StepRecord as_one_gpu(StepRecord record, double time_s) {
  record.implied_doubt = std::abs(std::log(record.iteration_s / time_s));
  record.strategy = {};
  record.algorithm = "unknown";
  record.gpus = record.nodes = record.gpus_per_node = 1;
  record.synchronised = false;
  record.iteration_s = time_s;
  return record;
}

} // namespace

std::optional<StepRecord> implied_by(const ShardedRun& run, const std::vector<Prior>& priors) {
  const auto& record = run.record;
  const auto* transport = transport_for(run.cluster, run.preset, record.head.transport);
  if (transport == nullptr || (record.nodes > 1 && transport->nic.empty())) return {};
  const CalibrationScope scope{transport->name, record.preset, record.precision, record.model, record.batch_per_gpu, 0};
  try {
    const auto sample =
        find_posterior(priors_on(run.cluster, priors), nullptr, {"compute_measured", run.preset, false, scope}, 1, 1)
            .median;
    auto implied = as_one_gpu(record, one_gpu_within(setup_of(run, *transport), sample, record.iteration_s));
    implied.head.gpu = run.gpu.name;
    return implied;
  } catch (const UserError&) {
    return {}; // a layout that the simulator does not run
  }
}

std::vector<StepRecord> implied_by_fewest(const std::vector<ShardedRun>& runs, const std::vector<Prior>& priors) {
  std::map<std::tuple<std::string, std::string, Precision, std::string, double>, const ShardedRun*> fewest;
  for (const auto& run : runs) {
    const auto& record = run.record;
    auto& kept = fewest[{run.gpu.name, record.model, record.precision, record.preset, record.batch_per_gpu}];
    if (kept == nullptr || record.gpus < kept->record.gpus) kept = &run;
  }
  std::vector<StepRecord> implied;
  for (const auto& [key, run] : fewest)
    if (auto one = implied_by(*run, priors)) implied.push_back(std::move(*one));
  return implied;
}

std::vector<StepRecord> implied_elsewhere(const MeasuredTimes& measured, const Cluster& cluster,
                                          const std::vector<Preset>& presets, const std::vector<Prior>& priors,
                                          const DataFolder& data) {
  std::map<std::string, Cluster> clusters;
  std::map<std::string, Model> models;
  std::vector<ShardedRun> runs;
  for (const auto& [name, records] : measured.sharded_on) {
    const auto& there = clusters.emplace(name, load_cluster(data, name)).first->second;
    if (there.site == cluster.site) continue;
    for (const auto& record : records) {
      const auto* preset = preset_named(presets, record.preset);
      if (preset == nullptr || measured.models.count(record.model) == 0) continue;
      if (models.count(record.model) == 0) models.emplace(record.model, load_model(data, record.model));
      runs.push_back({record, models.at(record.model), there, find_device(measured.gpus, there.gpu), *preset});
    }
  }
  return implied_by_fewest(runs, priors);
}

} // namespace ddlsim
