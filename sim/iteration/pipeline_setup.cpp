#include "sim/iteration/pipeline_setup.hpp"

#include "sim/base/error.hpp"
#include "sim/formats/model_constants.hpp"
#include "sim/iteration/hybrid_shards.hpp"
#include "sim/iteration/layout_complaint.hpp"
#include "sim/iteration/pipeline_graph.hpp"
#include "sim/iteration/pipeline_layout.hpp"

#include <algorithm>

namespace ddlsim {

LibraryRules rules_of_group(const StepSetup& setup, const Parameters& sample, const Machine& group) {
  LibraryRules rules{library_of(setup, sample)};
  if (rules.library.library == CollectiveLibrary::nccl)
    rules.nccl = nccl_job(setup.cluster, setup.transport, setup.gpu, group.ranks,
                          std::min(group.ranks_per_node, setup.gpus_per_node));
  return rules;
}

double copy_s_per_byte(const StepSetup& setup, const Machine& machine) {
  const bool is_copied = machine.ranks > 1 && setup.gpu.memory_bandwidth_Bps > 0;
  return is_copied ? setup.preset.copy_passes / setup.gpu.memory_bandwidth_Bps : 0;
}

std::vector<PieceShape> pieces_of_layout(const StepSetup& setup) {
  const auto& parallel = setup.strategy.parallel;
  const int pieces = parallel.pipeline * parallel.virtual_stages;
  if (pieces < 1 || !stage_complaint(setup.model, parallel).empty()) return {};
  return piece_shapes(setup.model, setup.gpu, setup.precision, setup.batch_per_gpu, pieces, parallel.recompute,
                      blocks_of_pieces(parallel));
}

namespace {

/// Returns the index of the group, which is added where no equal one is there.
int add_group(PipelineGroups& carriers, const TransferGroup& group) {
  const auto found = std::find(carriers.groups.begin(), carriers.groups.end(), group);
  const auto number = static_cast<int>(found - carriers.groups.begin());
  if (found == carriers.groups.end()) carriers.groups.push_back(group);
  return number;
}

void add_expert_groups(const StepSetup& setup, const Parameters& sample, const Machine& machine,
                       PipelineGroups& carriers) {
  const auto& options = setup.strategy.parallel;
  const auto layout = layout_of(options, machine.ranks);
  if (options.expert == 1) return;
  const auto experts = machine_of_experts(machine, layout, options.expert);
  carriers.of_expert = add_group(carriers, {experts, rules_of_group(setup, sample, experts)});
  if (layout.expert_sharers() == options.expert) return;
  const auto replicas = machine_of_expert_replicas(machine, layout, options.expert);
  auto rules = rules_of_group(setup, sample, replicas);
  if (options.data_parallel == DataParallel::all_reduce) {
    carriers.of_expert_replicas = add_group(carriers, {replicas, rules});
    return;
  }
  rules.operation = CollectiveOperation::all_gather; // a reduce-scatter takes as long as an all-gather
  carriers.of_expert_shards = add_group(carriers, {replicas, rules});
}

/// What a ring sends from rank to rank takes as long as an all-gather, which NCCL runs as a ring. What is exchanged for
/// heads is timed as an all-to-all.
void add_context_group(const StepSetup& setup, const Parameters& sample, const Machine& context,
                       PipelineGroups& carriers) {
  auto rules = rules_of_group(setup, sample, context);
  const auto kind = setup.strategy.parallel.context_kind;
  if (kind != ContextKind::all_to_all)
    rules.operation = CollectiveOperation::all_gather; // a reduce-scatter takes as long as an all-gather
  carriers.of_context = add_group(carriers, {context, rules});
}

/// The ranks among `replicas` that share one copy of the state, and those that hold the same part of it.
void add_shard_groups(const StepSetup& setup, const Parameters& sample, const Machine& replicas,
                      PipelineGroups& carriers) {
  const int group = ranks_of_shard_group(setup.strategy.parallel, replicas.ranks, replicas.ranks_per_node);
  const auto shards = machine_of_shards(replicas, group);
  auto rules = rules_of_group(setup, sample, shards);
  rules.operation = CollectiveOperation::all_gather;
  carriers.of_shards = add_group(carriers, {shards, rules});
  rules.operation = CollectiveOperation::reduce_scatter;
  carriers.of_scatters = add_group(carriers, {shards, rules});
  if (group == replicas.ranks) return;
  const auto copies = machine_of_shard_replicas(replicas, group);
  carriers.of_copies = add_group(carriers, {copies, rules_of_group(setup, sample, copies)});
}

PipelineGroups groups_of(const StepSetup& setup, const Parameters& sample, const Machine& machine) {
  const auto layout = layout_of(setup.strategy.parallel, machine.ranks);
  PipelineGroups carriers;
  for (int stage = 0; stage < layout.stages && layout.stages > 1; ++stage) {
    const auto pair = machine_of_pair(machine, layout, stage);
    auto rules = rules_of_group(setup, sample, pair);
    rules.operation = CollectiveOperation::all_gather; // run_transfers() times sends as all-gathers
    carriers.of_pair.push_back(add_group(carriers, {pair, rules}));
  }
  if (layout.tensor > 1) {
    const auto inside = machine_of_tensor_group(machine, layout);
    auto rules = rules_of_group(setup, sample, inside);
    rules.operation = CollectiveOperation::all_gather; // a reduce-scatter takes as long as an all-gather
    carriers.of_tensor = add_group(carriers, {inside, rules});
  }
  if (layout.context > 1) add_context_group(setup, sample, machine_of_context(machine, layout), carriers);
  add_expert_groups(setup, sample, machine, carriers);
  if (layout.sharers() == 1) return carriers;
  const auto replicas = machine_of_replicas(machine, layout);
  auto rules = rules_of_group(setup, sample, replicas);
  if (setup.strategy.parallel.data_parallel == DataParallel::all_reduce) {
    carriers.of_replicas = add_group(carriers, {replicas, rules});
    return carriers;
  }
  if (shards_parameters(setup.strategy)) {
    add_shard_groups(setup, sample, replicas, carriers);
    return carriers;
  }
  rules.operation = CollectiveOperation::all_gather; // a reduce-scatter takes as long as an all-gather
  carriers.of_shards = add_group(carriers, {replicas, rules});
  return carriers;
}

/// Seconds that a rank of a tensor group computes beyond its share of a block, for each byte of the block's outputs.
double beside_of_tensor_part(const StepSetup& setup) {
  const double others = 1 - 1.0 / setup.strategy.parallel.tensor;
  if (setup.gpu.memory_bandwidth_Bps <= 0) return 0;
  return ModelConstants{}.tensor_part_touches * others / setup.gpu.memory_bandwidth_Bps;
}

PipelineShards shards_of(const StepSetup& setup, const Machine& machine, const BackwardShape& shape) {
  const auto layout = layout_of(setup.strategy.parallel, machine.ranks);
  const auto replicas = machine_of_replicas(machine, layout);
  const int group = ranks_of_shard_group(setup.strategy.parallel, replicas.ranks, replicas.ranks_per_node);
  return {shape.piece_units, copy_s_per_byte(setup, replicas), group};
}

} // namespace

Graph graph_of_pipeline(const StepSetup& setup, const CommunicationInputs& inputs, const BackwardShape& shape) {
  const auto& [machine, compute_s, sample] = inputs;
  const auto& strategy = setup.strategy;
  const auto why = layout_complaint(setup.model, strategy, setup.batch_per_gpu, machine.ranks, machine.ranks_per_node);
  if (!why.empty()) throw UserError("--gpus", "", why);
  constexpr double table_bytes = 4; // bytes of a number in the layer table, which is fp32
  const double computed_bytes = computed_bytes_per_parameter(setup.precision);
  const PipelineBytes bytes{computed_bytes / table_bytes * micro_batch_samples(strategy.parallel, setup.batch_per_gpu),
                            setup.wire_bytes_per_parameter, computed_bytes, beside_of_tensor_part(setup)};
  const WholePasses passes{sample.forward_share * compute_s, (1 - sample.forward_share) * compute_s};
  const auto carriers = groups_of(setup, sample, machine);
  auto options = strategy.parallel;
  if (deals_experts(strategy) && options.expert_imbalance == 0) options.expert_imbalance = 1 + sample.expert_skew;
  Graph graph =
      pipeline_graph(shape.pieces, passes, options, bytes, carriers, machine, shards_of(setup, machine, shape));
  graph.collective_cost_s = sample.operation_cost_s;
  if (shards_parameters(strategy)) graph.interference = sample.interference;
  return graph;
}

} // namespace ddlsim
