#pragma once
// A strategy for synchronising gradients, as scenarios and step records state it.

#include "sim/formats/library_version.hpp"
#include "sim/formats/names.hpp"

#include <optional>
#include <string>

namespace ddlsim {

/// Number of parameter servers, by one of three rules. Records may have `unknown`. With `best` in scenarios, predict
/// searches the number at every scale, together with the other server settings that the strategy leaves open.
struct ServerCount {
  enum class Rule { unknown, count, per_node, equal_workers, best } rule = Rule::unknown;
  int value = 0; ///< the number for count and per_node

  bool operator==(const ServerCount&) const = default;
};

/// Options of zero-1, zero-2 and fsdp. All-reduces have `micro_batches` and `recompute`.
struct ShardedOptions {
  static constexpr int all_ranks = 0; ///< value of shard_group: all ranks
  static constexpr int a_node = -1;   ///< value of shard_group: the ranks of one node

  bool reshard_after_forward = true; ///< fsdp: a unit's parameters are freed after forward, and gathered again
  bool backward_prefetch = true;     ///< fsdp: the next unit is gathered before this one's gradients are scattered
  int gathers_in_flight = 2;         ///< fsdp: units that may be gathered, or still in use, at the same time
  int micro_batches = 1;             ///< parts of a GPU's batch, for gradient accumulation
  Recompute recompute = Recompute::none;
  Offload offload = Offload::none; ///< state in host memory; `optimizer_and_parameters` for fsdp only
  int shard_group = all_ranks;     ///< fsdp: ranks that share one copy of the state; fewer than all: hybrid sharding

  bool operator==(const ShardedOptions&) const = default;
};

/// Options of model-parallel. Megatron-LM calls the degrees tensor_model_parallel_size, pipeline_model_parallel_size,
/// virtual_pipeline_model_parallel_size, expert_model_parallel_size and context_parallel_size.
struct ModelParallelOptions {
  /// value of degrees in questions: predict searches the number at each scale
  static constexpr int best = 0;

  int tensor = 1;        ///< ranks that compute each layer together
  int pipeline = 1;      ///< number of stages
  int micro_batches = 1; ///< parts of the batch of a replica (all its stages together)
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
  int virtual_stages =
      1; ///< pieces of the model on each stage; more than one only if interleaved; best: the schedule is searched, too
  DataParallel data_parallel = DataParallel::all_reduce; ///< how replicas combine their gradients
  bool tensor_overlap = false; ///< gathers and scatters inside layers overlap with the layers' compute, part by part
  int expert = 1;              ///< data-parallel ranks over which a block's experts are distributed
  /// tokens of the busiest of these ranks over their mean; 0: not stated, and drawn (Parameters::expert_skew)
  double expert_imbalance = 0;
  /// ranks that compute each expert together: `tensor`, or 1 where each rank of a tensor group has experts of its own
  int expert_tensor = 0;       ///< 0: as many as `tensor`
  bool expert_overlap = false; ///< tokens travel while the other half of the micro-batch is computed
  ExpertExchange expert_exchange = ExpertExchange::all_to_all;
  int context = 1; ///< ranks that each hold a part of every sequence
  Recompute recompute = Recompute::none;
  RankOrder rank_order = RankOrder::stages_last;
  bool best_layout = false; ///< predict searches all that the question does not state; those degrees are `best`

  double imbalance() const { return expert_imbalance > 0 ? expert_imbalance : 1; }
  int ranks_of_expert() const { return expert_tensor > 0 ? expert_tensor : tensor; }
  ContextKind context_kind = ContextKind::all_gather;
  std::optional<bool> reshard_after_forward{}; ///< of fsdp; nothing: yes without a pipeline
  int shard_group = ShardedOptions::all_ranks; ///< of fsdp: ranks with the same layers that share one copy of the state
  int first_stage_blocks = 0; ///< numbered blocks of the first stage; 0: as many as make stages equally fast
  int last_stage_blocks = 0;  ///< the same of the last stage

  bool operator==(const ModelParallelOptions&) const = default;
};

/// How the work of a model with experts is divided.
struct WorkSplit {
  double passes = 1;       ///< parts of the batch that a GPU computes one after another
  double expert_ranks = 1; ///< GPUs among which the experts of a block are divided

  auto operator<=>(const WorkSplit&) const = default;
};

struct Strategy {
  StrategyName name = StrategyName::none;
  ServerCount servers; ///< this member and the next four apply to ps and ps-async only
  Placement placement = Placement::unknown;
  Sharding sharding = Sharding::unknown; ///< rule that places tensors on servers; unknown: the preset's own
  bool on_node_reduce = true;
  Device device = Device::cpu; ///< device on which the server sums
  std::string preset{};        ///< preset of this strategy in place of the scenario's; "": the scenario's
  std::string transport{};     ///< transport of this strategy in place of the scenario's; "": the scenario's
  std::optional<LibraryVersion> library{}; ///< library of the all-reduces if known; nothing: one of the preset's
  std::string note{};                      ///< the user's note, which is printed beside the answer
  ShardedOptions sharded{};                ///< zero-1, zero-2, fsdp and all-reduces only
  ModelParallelOptions parallel{};         ///< model-parallel only
};

/// Returns a short text for tables and series names: "ring", "ps(4 dedicated, round-robin)", "fsdp(4 micro-batches,
/// full recomputation)". Equal strategies have equal texts.
std::string to_text(const Strategy& strategy);

/// Returns the text with the strategy's own preset and transport: "auto with horovod over nccl-ib". No two strategies
/// of a scenario have the same label.
std::string label_of(const Strategy& strategy);

/// Returns how many of `gpus` ranks share one copy of the state.
int ranks_of_shard_group(const ShardedOptions& sharded, int gpus, int gpus_per_node);

/// Whether the experts of a block are on several ranks.
bool deals_experts(const Strategy& strategy);
/// Whether ranks of model parallelism with the same layers keep a part of their parameters each.
bool shards_parameters(const Strategy& strategy);

/// Whether a unit's parameters are freed after forward. PyTorch's torchtitan frees them unless there is a pipeline
/// (torchtitan/models/llama3/parallelize_llama.py at e7c0cae, fsdp_reshard_after_forward "default").
bool frees_after_forward(const ModelParallelOptions& options);

/// Returns how many of `sharers` ranks with the same layers share one copy of the state. A node has `sharers_of_node` of
/// them.
int ranks_of_shard_group(const ModelParallelOptions& options, int sharers, int sharers_of_node);

/// Whether a strategy has options of micro-batches and recomputation.
bool has_micro_batches(StrategyName name);

/// Returns into how many micro-batches a GPU's batch is cut by a strategy that is no model parallelism.
int micro_batches_of(const Strategy& strategy);

/// Returns what backward recomputes; none for strategies without this option.
Recompute recompute_of(const Strategy& strategy);

/// Whether predict searches the servers of this strategy ("best").
bool seeks_best_servers(const Strategy& strategy);

/// Whether predict searches the parallel degrees of this strategy ("best").
bool seeks_best_layout(const Strategy& strategy);

/// Returns the number of servers for that many workers and nodes; 0 when the rule is unknown or best.
int server_count(const ServerCount& servers, int workers, int nodes);

} // namespace ddlsim
