#include "sim/predict/replica_choices.hpp"

#include "sim/formats/parallel_checks.hpp"

#include <string_view>

namespace ddlsim {
namespace {

/// What replicas of a software can do.
struct SoftwareOfReplicas {
  std::string_view preset;
  std::vector<DataParallel> kinds;
};

/// Megatron-LM: the distributed optimizer, and megatron/core/distributed/fsdp (Megatron-FSDP). PyTorch: torchtitan shards
/// parameters with fully_shard beside its other groups (torchtitan/models/llama3/parallelize_llama.py).
const std::vector<SoftwareOfReplicas>& softwares_of_replicas() {
  static const std::vector<SoftwareOfReplicas> table{{"megatron-lm", {DataParallel::zero_1, DataParallel::fsdp}},
                                                     {"pytorch-fsdp", {DataParallel::fsdp}},
                                                     {"pytorch-fsdp2", {DataParallel::fsdp}}};
  return table;
}

std::vector<DataParallel> kinds_of(std::string_view preset) {
  for (const auto& software : softwares_of_replicas())
    if (software.preset == preset) return software.kinds;
  return {DataParallel::zero_1};
}

} // namespace

std::vector<ReplicaChoice> replica_choices(const StepSetup& setup, const ModelParallelOptions& parallel) {
  const auto& stated = setup.strategy.parallel;
  if (stated.shard_group != searched_replicas) return {{stated.data_parallel, stated.shard_group}};
  const int replicas = setup.gpus / (parallel.tensor * parallel.pipeline);
  const bool on_several_nodes =
      setup.gpus > setup.gpus_per_node * domain_nodes(setup.cluster, setup.transport) && replicas > 1;
  std::vector<ReplicaChoice> choices;
  for (const auto kind : kinds_of(setup.preset.name)) {
    choices.push_back({kind});
    if (replicas == 1) return choices;
    if (kind == DataParallel::fsdp && on_several_nodes) choices.push_back({kind, ShardedOptions::a_node});
  }
  return choices;
}

} // namespace ddlsim
