#pragma once
// Small random models, machines and strategies, all software costs zero: what is left is compute and links.

#include "sim/network/machine.hpp"
#include "sim/predict/scaling_curve.hpp"
#include "tests/collective/machines.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>

namespace ddlsim {

/// Lifetimes for a StepSetup, which holds references. The same seed, the same sample.
struct RandomScenario {
  explicit RandomScenario(std::uint64_t seed, int most_gpus = 16) : random(seed) {
    make_model();
    make_cluster();
    make_preset();
    make_strategy();
    sample.forward_share = uniform(random, 0.2, 0.5);
    sample.nic_efficiency = 1;
    sample.socket_Bps = 1e15;
    sample.net_latency_s = log_uniform(random, 1e-7, 1e-3);
    sample.intra_efficiency = 1;
    sample.intra_latency_factor = 1;
    sample.server_duplex = 1;
    one_gpu_s = log_uniform(random, 1e-3, 1);
    gpus = 2 + below(most_gpus - 1);
  }

  StepSetup setup() const {
    StepSetup setup{model, gpu, cluster, preset, {"nccl-tcp", "nic"}, strategy};
    setup.batch_per_gpu = 32;
    setup.one_gpu_s = one_gpu_s;
    setup.gpus = gpus;
    setup.gpus_per_node = std::min(gpus, cluster.gpus_per_node);
    return setup;
  }

  double iteration_s(Fidelity fidelity) const { return time_step(setup(), sample, fidelity).iteration_s; }

  Machine machine() const { return build_machine(cluster, setup().transport, sample, gpus, setup().gpus_per_node); }

  std::mt19937_64 random;
  Model model;
  Gpu gpu;
  Cluster cluster;
  Preset preset;
  Strategy strategy;
  Parameters sample;
  double one_gpu_s = 0;
  int gpus = 1;

private:
  int below(int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); }

  template <class Name, std::size_t count> Name one_of(const Name (&names)[count]) {
    return names[below(static_cast<int>(count))];
  }

  void make_model() {
    const int layers = 1 + below(12);
    for (int l = 0; l < layers; ++l) {
      Layer layer{"layer" + std::to_string(l),
                  one_of<const char*>({"linear", "conv3x3", "conv1x1"}),
                  log_uniform(random, 1e6, 1e9),
                  log_uniform(random, 1e2, 1e6),
                  {}};
      const int tensors = below(4); // none: an activation
      for (int t = 0; t < tensors; ++t)
        layer.tensors.push_back(
            {layer.name + "." + std::to_string(t), {}, 4 * std::floor(log_uniform(random, 1, 1e7))});
      model.layers.push_back(layer);
    }
    model.layers.back().tensors.push_back({"last", {}, 4 * std::floor(log_uniform(random, 1e3, 1e7))});
    gpu.name = "test";
    gpu.peak_flop_per_s = {{ArithmeticUnit::fp32, 1e12}};
    gpu.memory_bandwidth_Bps = 1e11;
  }

  void make_cluster() {
    cluster.name = "test";
    cluster.gpus_per_node = 1 + below(4);
    cluster.intra = {IntraKind::pcie_tree, log_uniform(random, 1e9, 1e11), log_uniform(random, 1e-7, 1e-4)};
    cluster.nics = {{"nic", log_uniform(random, 1e8, 1e10), 1}};
    cluster.fabric = {FabricKind::star, 0, 1, 0};
    if (below(3) == 0) cluster.fabric = {FabricKind::fat_tree, 1 + below(3), uniform(random, 1, 4), 0};
    cluster.transports = {{"nccl-tcp", "nic"}};
  }

  void make_preset() {
    preset.name = "test";
    preset.grouping = one_of({Grouping::buckets, Grouping::per_tensor, Grouping::single});
    preset.first_bucket_bytes = log_uniform(random, 1e4, 1e6);
    preset.bucket_bytes = log_uniform(random, 1e5, 1e8);
    preset.overlapped = below(2) == 0;
    preset.shardings = {{"bytes", 1}};
    preset.split_bytes = 4e6;
  }

  void make_strategy() {
    strategy.name = one_of({StrategyName::ring, StrategyName::hierarchical_ring, StrategyName::tree,
                            StrategyName::halving_doubling, StrategyName::ps, StrategyName::ps});
    strategy.servers = {ServerCount::Rule::count, 1 + below(6)};
    strategy.placement = one_of({Placement::dedicated, Placement::colocated});
    strategy.sharding = one_of({Sharding::round_robin, Sharding::bytes, Sharding::split, Sharding::hash});
    strategy.on_node_reduce = below(2) == 0;
  }
};

} // namespace ddlsim
