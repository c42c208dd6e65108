#pragma once
// A strategy as scenarios and step records write it.

#include "sim/formats/library_version.hpp"
#include "sim/formats/names.hpp"

#include <optional>
#include <string>

namespace ddlsim {

/// How many parameter servers there are, by one of three rules; unknown in records; `best` in scenarios: predict
/// searches the count at every scale, and what the strategy leaves open beside it.
struct ServerCount {
  enum class Rule { unknown, count, per_node, equal_workers, best } rule = Rule::unknown;
  int value = 0; ///< for count and per_node

  bool operator==(const ServerCount&) const = default;
};

/// What zero-1, zero-2 and fsdp leave open.
struct ShardedOptions {
  static constexpr int all_ranks = 0; ///< of shard_group
  static constexpr int a_node = -1;   ///< the same

  bool reshard_after_forward = true; ///< fsdp: a unit's parameters are freed after forward, and gathered again
  bool backward_prefetch = true;     ///< fsdp: the next unit is gathered before this one's gradients are scattered
  int gathers_in_flight = 2;         ///< fsdp: units that may be gathered, or still in use, at the same time
  int micro_batches = 1;             ///< that a GPU's batch is cut into: gradient accumulation
  Recompute recompute = Recompute::none;
  Offload offload = Offload::none; ///< parameters of fsdp only
  int shard_group = all_ranks;     ///< fsdp: ranks that share one copy of the state; fewer than all: hybrid sharding

  bool operator==(const ShardedOptions&) const = default;
};

/// What model-parallel says. Megatron-LM calls them tensor_model_parallel_size, pipeline_model_parallel_size and
/// virtual_pipeline_model_parallel_size, expert_model_parallel_size and context_parallel_size.
struct ModelParallelOptions {
  static constexpr int best = 0; ///< of the first three and `context`, in questions: predict searches it at every scale

  int tensor = 1;        ///< ranks that compute each layer together
  int pipeline = 1;      ///< stages
  int micro_batches = 1; ///< that the batch of a replica, all its stages together, is cut into
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
  int virtual_stages = 1; ///< pieces of the model on each stage; more than one for interleaved only
  DataParallel data_parallel = DataParallel::all_reduce; ///< among replicas
  bool tensor_overlap = false; ///< gathers and scatters inside layers run beside the layers' compute, part by part
  int expert = 1;              ///< ranks of data parallelism that a block's experts are dealt out over
  double expert_imbalance = 1; ///< tokens of the busiest of these ranks over their mean
  int context = 1;             ///< ranks that hold a part of every sequence each
  Recompute recompute = Recompute::none;
  RankOrder rank_order = RankOrder::stages_last;

  bool operator==(const ModelParallelOptions&) const = default;
};

struct Strategy {
  StrategyName name = StrategyName::none;
  ServerCount servers; ///< this and what follows: ps and ps-async only
  Placement placement = Placement::unknown;
  Sharding sharding = Sharding::unknown; ///< unknown: the preset's own
  bool on_node_reduce = true;
  Device device = Device::cpu; ///< where the server adds up
  std::string preset{};        ///< in scenarios: of this strategy, in place of the scenario's; "": the scenario's
  std::string transport{};     ///< the same
  std::optional<LibraryVersion> library{}; ///< that sums, where it is known; nothing: one of the preset's
  std::string note{};                      ///< what the asker says of it; printed beside its answer
  ShardedOptions sharded{};                ///< zero-1, zero-2 and fsdp only
  ModelParallelOptions parallel{};         ///< model-parallel only
};

/// "ring", "ps(4 dedicated, round-robin)", "fsdp(4 micro-batches, full recomputation)": short text for tables and
/// series names; equal for equal strategies.
std::string to_text(const Strategy& strategy);

/// The same with the strategy's own preset and transport: "auto with horovod over nccl-ib". No two strategies of a
/// scenario have one label.
std::string label_of(const Strategy& strategy);

/// Ranks that share one copy of the state, of so many.
int ranks_of_shard_group(const ShardedOptions& sharded, int gpus, int gpus_per_node);

/// What backward computes again; none for strategies that cannot.
Recompute recompute_of(const Strategy& strategy);

/// Whether predict searches the servers of this strategy.
bool seeks_best_servers(const Strategy& strategy);

/// Whether predict searches the degrees of this strategy.
bool seeks_best_layout(const Strategy& strategy);

/// Servers for that many workers and nodes; 0 when the rule is unknown or best.
int server_count(const ServerCount& servers, int workers, int nodes);

} // namespace ddlsim
