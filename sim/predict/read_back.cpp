#include "sim/predict/read_back.hpp"

#include "sim/base/error.hpp"
#include "sim/compute/kernel_work.hpp"
#include "sim/compute/layer_times.hpp"
#include "sim/formats/parameters.hpp"
#include "sim/iteration/iteration_graph.hpp"
#include "sim/iteration/step.hpp"
#include "sim/predict/best_layout.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace ddlsim {
namespace {

/// The setup of a record's run, which refers to `reference` and `cluster`; nothing when a name is not in the catalogue.
std::optional<StepSetup> timed_setup(const StepRecord& record, const Cluster& cluster, const ReferenceData& reference) {
  const auto model = reference.models.find(record.model);
  const auto* preset = preset_named(reference.presets, record.preset);
  if (model == reference.models.end() || preset == nullptr) return {};
  const auto* transport = transport_for(cluster, *preset, record.head.transport);
  if (transport == nullptr) return {};
  const auto& gpu = find_device(reference.gpus, record.head.gpu.empty() ? cluster.gpu : record.head.gpu);
  StepSetup setup{model->second, gpu, cluster, *preset, *transport, record.strategy};
  setup.precision = record.precision;
  setup.wire_bytes_per_parameter = bytes_per_parameter(record.wire_precision);
  setup.batch_per_gpu = record.batch_per_gpu;
  setup.gpus = record.gpus;
  setup.gpus_per_node = record.gpus_per_node;
  setup.fabrics = std::make_shared<PlacedFabrics>(cluster, *transport, CoLocation{});
  return setup;
}

/// The fastest of the layouts that the record leaves open; nothing when none fits.
std::optional<TimedLayout> fastest_layout(const StepSetup& setup, const Parameters& sample) {
  if (!seeks_best_layout(setup.strategy))
    return TimedLayout{setup.strategy, time_step(setup, sample, Fidelity::formula)};
  return BestLayout(setup, sample, setup.gpus_per_node).at(setup.gpus).best;
}

/// Finds, by bisection, the one-GPU time with which the run takes `measured_s`; a longer one-GPU time gives a longer
/// run. Returns 0 when the run is too slow even with a GPU that takes almost no time.
double one_gpu_s_of(StepSetup setup, const Parameters& sample, double measured_s) {
  constexpr double least_share = 1e-3;
  constexpr int halvings = 40;
  const auto is_slower = [&](double one_gpu_s) {
    setup.one_gpu_s = one_gpu_s;
    const auto fastest = fastest_layout(setup, sample);
    return !fastest || fastest->time.iteration_s > measured_s;
  };
  double low_s = least_share * measured_s;
  double high_s = measured_s;
  if (is_slower(low_s)) return 0;
  for (int i = 0; i < halvings; ++i) {
    const double middle_s = (low_s + high_s) / 2;
    (is_slower(middle_s) ? high_s : low_s) = middle_s;
  }
  return (low_s + high_s) / 2;
}

/// The one-GPU times that a run implies.
struct OneGpu {
  double step_s = 0;    ///< iteration time of one GPU; 0: not known
  double compute_s = 0; ///< compute of one GPU, recomputation included
  WorkSplit split{};
};

OneGpu read_back(const StepRecord& record, const Cluster& cluster, const ReferenceData& reference) {
  try {
    auto setup = timed_setup(record, cluster, reference);
    if (!setup) return {};
    auto sample = median_parameters(
        priors_of_stack(priors_on(cluster, priors_for(reference.priors), setup->gpu.compute_capability),
                        "compute_measured", setup->transport.name, setup->preset));
    setup->one_gpu_s = one_gpu_s_of(*setup, sample, record.iteration_s);
    if (setup->one_gpu_s <= 0) return {};
    setup->strategy = fastest_layout(*setup, sample).value().strategy;
    return {setup->one_gpu_s, compute_s_of(*setup, sample, backward_shape_of(*setup)),
            split_of(setup->model, setup->strategy)};
  } catch (const UserError&) {
    return {}; // the layout cannot be simulated, or the GPU has no peak rate
  }
}

StepRecord alone(const StepRecord& record, const OneGpu& gpu) {
  StepRecord one = record;
  one.head.statistic = fmt::format("read back from {} GPUs", record.gpus);
  one.read_back_uncertainty = std::abs(std::log(record.iteration_s / gpu.compute_s));
  one.strategy = {};
  one.algorithm = "unknown";
  one.gpus = one.nodes = one.gpus_per_node = 1;
  one.synchronised = false;
  one.optimizer = false; // the GPUs divide the optimizer's work among them
  one.iteration_s = gpu.step_s;
  one.split = gpu.split;
  return one;
}

/// The properties that runs share when they differ only in the number of GPUs.
struct RunKey {
  std::string gpu;
  std::string model;
  Precision precision = {};
  std::string preset;
  double batch_per_gpu = 0;
  auto operator<=>(const RunKey&) const = default;
};

} // namespace

std::optional<StepRecord> read_back_one_gpu(const StepRecord& record, const Cluster& cluster,
                                            const ReferenceData& reference) {
  const auto gpu = read_back(record, cluster, reference);
  if (gpu.step_s <= 0) return {};
  return alone(record, gpu);
}

std::vector<StepRecord> read_back_pipelines(const std::vector<StepRecord>& own, const Cluster& cluster,
                                            const ReferenceData& reference) {
  std::vector<StepRecord> found;
  for (const auto& record : own) {
    if (!is_model_parallel(record.strategy.name) || !trains_whole_model(record)) continue;
    if (auto one = read_back_one_gpu(record, cluster, reference)) found.push_back(std::move(*one));
  }
  return found;
}

std::vector<StepRecord> read_back_elsewhere(const std::map<std::string, std::vector<StepRecord>>& spread_on,
                                            const Cluster& asked, const ReferenceData& reference) {
  struct Run {
    const StepRecord* record = nullptr;
    const Cluster* cluster = nullptr;
  };
  std::map<RunKey, Run> fewest;
  for (const auto& [name, records] : spread_on) {
    const auto cluster = reference.clusters.find(name);
    if (cluster == reference.clusters.end() || name == asked.name) continue;
    for (const auto& record : records) {
      if (cluster->second.site == asked.site && !deals_experts(record.strategy)) continue;
      const auto& gpu = record.head.gpu.empty() ? cluster->second.gpu : record.head.gpu;
      auto& kept = fewest[{gpu, record.model, record.precision, record.preset, record.batch_per_gpu}];
      if (kept.record == nullptr || record.gpus < kept.record->gpus) kept = {&record, &cluster->second};
    }
  }
  std::vector<StepRecord> found;
  for (const auto& [key, run] : fewest) {
    auto one = read_back_one_gpu(*run.record, *run.cluster, reference);
    if (!one) continue;
    one->head.gpu = key.gpu;
    one->site = run.cluster->site;
    found.push_back(std::move(*one));
  }
  return found;
}

} // namespace ddlsim
