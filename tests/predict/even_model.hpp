#pragma once
// Models whose layers are alike, so that pipelines of them have closed forms.

#include "tests/predict/small_cluster.hpp"

#include <string>

namespace ddlsim {

/// Layers of equal work that put out 1 MB a sample, 1 MB of parameters each.
struct EvenModel : SmallCluster {
  explicit EvenModel(int layers) {
    model.layers.clear();
    for (int i = 0; i < layers; ++i)
      model.layers.push_back({"fc" + std::to_string(i), "linear", 1e9, 1e6, {{"w", {250'000}, 1e6}}});
    model.parameters = 250'000.0 * layers;
    gpu.memory_bandwidth_Bps = 1e15; // FLOP decide
  }

  StepSetup pipeline(int stages, int micro_batches, int gpus,
                     PipelineSchedule schedule = PipelineSchedule::one_f_one_b) const {
    auto asked = setup(StrategyName::model_parallel, gpus);
    asked.strategy.parallel = {1, stages, micro_batches, schedule, 1};
    asked.batch_per_gpu = 8;
    return asked;
  }
};

/// Two blocks with attention that put out 1 MB a sample, on nodes of two GPUs.
struct TwoBlocks : EvenModel {
  TwoBlocks() : EvenModel(4) {
    cluster.gpus_per_node = 2;
    for (std::size_t l = 0; l < model.layers.size(); ++l)
      model.layers[l].name = "block" + std::to_string(l / 2) + (l % 2 == 0 ? ".attention" : ".output");
    for (const std::size_t l : {0U, 2U}) model.layers[l].kind = "attention";
  }

  StepSetup on(int tensor, int stages, int gpus) const {
    auto asked = pipeline(stages, 1, gpus);
    asked.strategy.parallel.tensor = tensor;
    asked.gpus_per_node = 2;
    return asked;
  }
};

inline Parameters free_network(Parameters sample) {
  sample.nic_efficiency = 1e15;
  sample.socket_Bps = 1e30;
  sample.net_latency_s = 0;
  sample.intra_efficiency = 1e15; // a message is no faster than inside a node
  return sample;
}

} // namespace ddlsim
