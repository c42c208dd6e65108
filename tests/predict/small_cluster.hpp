#pragma once
// A cluster, a model and a sample so plain that iteration times can be worked out by hand.

#include "sim/predict/scaling_curve.hpp"

namespace ddlsim {

/// Lifetimes for a StepSetup, which holds references.
struct SmallCluster {
  Model model;
  Gpu gpu;
  Cluster cluster;
  Preset preset;
  Parameters sample;

  SmallCluster() {
    model.name = "one-layer";
    model.layers = {{"fc", "linear", 1e9, 0, {{"fc.weight", {25'000'000}, 1e8}}}}; // 100 MB, ready when backward ends
    gpu.name = "test";
    gpu.peak_flop_per_s = {{ArithmeticUnit::fp32, 1e12}};
    gpu.memory_bandwidth_Bps = 1e11;
    cluster.name = "test";
    cluster.gpus_per_node = 1;
    cluster.intra = {IntraKind::none, 1e9, 0};
    cluster.nics = {{"nic", 1e9, 1}};
    cluster.fabric = {FabricKind::star, 0, 1, 0};
    cluster.transports = {{"nccl-tcp", "nic"}};
    preset.name = "test";
    preset.grouping = Grouping::single;
    preset.overlapped = false;
    preset.shardings = {{"bytes", 1}};
    sample.forward_share = 1.0 / 3;
    sample.nic_efficiency = 1;
    sample.socket_Bps = 1e12;
    sample.net_latency_s = 1e-3;
    sample.intra_efficiency = 1;
    sample.intra_latency_factor = 1;
    sample.server_duplex = 1;
  }

  StepSetup setup(StrategyName strategy, int gpus) const {
    StepSetup setup{model, gpu, cluster, preset, {"nccl-tcp", "nic"}, {}};
    setup.strategy.name = strategy;
    setup.strategy.library = LibraryVersion{CollectiveLibrary::grpc}; // rings, without NCCL's protocols
    setup.batch_per_gpu = 10;
    setup.one_gpu_s = 0.3;
    setup.gpus = gpus;
    setup.gpus_per_node = 1;
    return setup;
  }
};

} // namespace ddlsim
