#include "sim/iteration/pipeline_layout.hpp"

#include "sim/compute/piece_shape.hpp"
#include "sim/compute/unit_shape.hpp"
#include "sim/iteration/layout_complaint.hpp"
#include "sim/network/nic_rate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

namespace ddlsim {
namespace {

/// Largest number of micro-batches times pieces. At this limit each of hundreds of samples takes 10 ms.
constexpr double most_passes = 50'000;

int ranks_of_replica(const ModelParallelOptions& options) {
  return options.pipeline * options.tensor * options.context;
}

/// Number of GPUs that hold parts of the same sequences.
int gpus_of_context(const ModelParallelOptions& options) {
  return options.tensor * options.context;
}

bool is_multiple_of_other(int one, int other) {
  return one % other == 0 || other % one == 0;
}

/// Number of GPUs of the unit that fills whole nodes, or that fits into a node a whole number of times: with
/// replicas_last a replica, else a stage.
int gpus_side_by_side(const ModelParallelOptions& options, int gpus) {
  return options.rank_order == RankOrder::replicas_last ? ranks_of_replica(options) : gpus / options.pipeline;
}

/// Whether the layout is even. All GPUs are on one node; or stages (with replicas_last: replicas) and context groups
/// fill whole nodes or divide a node evenly, and nodes have whole tensor groups.
bool is_even(const ModelParallelOptions& options, int gpus, int gpus_per_node) {
  if (gpus % ranks_of_replica(options) != 0) return false;
  if (gpus <= gpus_per_node) return true;
  if (gpus_per_node % options.tensor != 0) return false;
  return is_multiple_of_other(gpus_side_by_side(options, gpus), gpus_per_node) &&
         is_multiple_of_other(gpus_of_context(options), gpus_per_node);
}

/// The nodes of a stage, and how many of its ranks each node has.
struct StageNodes {
  std::vector<int> nodes;
  int ranks_of_node = 1;
};

StageNodes nodes_of_stage(const Machine& all, const PipelineLayout& layout, int stage) {
  const bool apart = layout.order == RankOrder::replicas_last; // a replica's ranks of one stage follow each other
  const int ranks = apart ? layout.ranks_of_group() : layout.ranks_of_stage();
  const int runs = apart ? layout.replicas : 1;
  StageNodes stage_nodes{{}, std::min(ranks, all.ranks_per_node)};
  for (int run = 0; run < runs; ++run) {
    const int first = all.node_of((run * layout.stages + stage) * ranks);
    for (int node = 0; node < ranks / stage_nodes.ranks_of_node; ++node) stage_nodes.nodes.push_back(first + node);
  }
  return stage_nodes;
}

/// Number of pairs that send over the uplink of the busiest leaf.
int pairs_between_leaves(const Machine& all, const StageNodes& from, const StageNodes& to) {
  if (all.nodes_per_leaf == 0) return 0;
  std::map<int, int> leaving;
  std::map<int, int> coming;
  int most = 0;
  for (std::size_t node = 0; node < from.nodes.size(); ++node) {
    const int from_leaf = from.nodes[node] / all.nodes_per_leaf;
    const int to_leaf = to.nodes[node] / all.nodes_per_leaf;
    if (from_leaf == to_leaf) continue;
    most = std::max({most, leaving[from_leaf] += from.ranks_of_node, coming[to_leaf] += from.ranks_of_node});
  }
  return most;
}

/// Number of ranks, or groups that compute an expert together, among which experts may be divided: of all ranks, or of
/// those of one node.
int sharers_of(const ModelParallelOptions& options, int gpus) {
  return gpus / ranks_of_replica(options) * options.context * options.tensor / options.ranks_of_expert();
}
int sharers_of_node(const ModelParallelOptions& options, int gpus, int gpus_per_node) {
  return std::min(sharers_of(options, gpus), std::max(1, gpus_per_node / options.ranks_of_expert()));
}

/// Whether experts can be divided among whole groups of ranks, each of which fills whole nodes or divides a node
/// evenly.
bool deals_experts(const ModelParallelOptions& options, int gpus, int gpus_per_node) {
  return sharers_of(options, gpus) % options.expert == 0 &&
         is_multiple_of_other(options.expert, sharers_of_node(options, gpus, gpus_per_node));
}

/// Returns why experts cannot be divided in this way; "" where they can.
std::string expert_complaint(const Model& model, const ModelParallelOptions& options, int gpus, int gpus_per_node) {
  if (options.expert == 1) return "";
  const int experts = experts_of(model);
  if (experts == 0) return fmt::format("{} has no experts; leave \"expert\" out", model.name);
  if (experts % options.expert != 0)
    return fmt::format(
        "{} experts a block are not dealt out evenly over {} ranks; give an \"expert\" that divides them", experts,
        options.expert);
  if (deals_experts(options, gpus, gpus_per_node)) return "";
  const int sharers = sharers_of(options, gpus);
  if (sharers % options.expert != 0)
    return fmt::format("{} GPUs are {} replicas{}, no multiple of the {} ranks that experts are dealt out over; give a "
                       "multiple of {} GPUs",
                       gpus, sharers, options.context > 1 ? " of the dense layers" : "", options.expert,
                       options.pipeline *
                           std::lcm(options.ranks_of_expert() * options.expert, options.tensor * options.context));
  const int of_node = sharers_of_node(options, gpus, gpus_per_node);
  return fmt::format("a node has {} replicas of a layer, and experts over {} ranks are on parts of nodes; give an "
                     "\"expert\" that divides {} or is a multiple of it",
                     of_node, options.expert, of_node);
}

/// Returns why layers cannot be cut over that many ranks; "" where they can.
std::string tensor_complaint(const Model& model, const ModelParallelOptions& options) {
  if (options.tensor == 1 || has_attention(model)) return "";
  if (options.tensor_overlap)
    return fmt::format("what a tensor group gathers overlaps with the layers of transformers only, and {} has no block "
                       "with attention; leave \"tensor_overlap\" out",
                       model.name);
  if (std::any_of(model.layers.begin(), model.layers.end(), has_weights)) return "";
  return fmt::format("{} has no layer with a matrix or filters to cut; leave \"tensor\" out", model.name);
}

/// Returns why nothing of the model would be recomputed; "" where something is, or no recomputation is asked for.
std::string recompute_complaint(const Model& model, Recompute recompute) {
  if (recompute == Recompute::none) return "";
  const auto again = layers_computed_again(model, recompute, Precision::fp32);
  if (std::find(again.begin(), again.end(), true) != again.end()) return "";
  return fmt::format("{} has {}, so that nothing of it would be computed again; leave \"recompute\" out", model.name,
                     recompute == Recompute::full ? "no numbered block (block3.mlp)"
                                                  : "no attention without parameters in a numbered block "
                                                    "(block3.attention.scores)");
}

/// Returns why a sequence cannot be cut over that many ranks; "" where it can.
std::string context_complaint(const Model& model, const ModelParallelOptions& options) {
  if (options.context == 1) return "";
  if (!has_attention(model))
    return fmt::format("context parallelism is simulated for transformers, and {} has no block with attention; leave "
                       "\"context\" out",
                       model.name);
  if (!has_keys_and_values(model))
    return fmt::format("{} has attention without a layer called \"key\" and one called \"value\", or "
                       "\"query_key_value\", so that what a context group gathers is not known; leave \"context\" out, "
                       "or name those layers",
                       model.name);
  constexpr int chunks_of_rank =
      2; // one chunk from the front and one from the back, so that the causal mask leaves all ranks equal work
  const double tokens = model.tokens_per_sample();
  if (tokens > 0 && std::fmod(tokens, chunks_of_rank * options.context) == 0) return "";
  return fmt::format(
      "a sample of {} has {:.0f} tokens, which are not cut into {} equal chunks for each of {} ranks; give a "
      "\"context\" that comes out whole",
      model.name, tokens, chunks_of_rank, options.context);
}

} // namespace

PipelineLayout layout_of(const ModelParallelOptions& options, int gpus) {
  return {options.pipeline,     gpus / ranks_of_replica(options), options.tensor, options.context, options.rank_order,
          options.expert_tensor};
}

Machine machine_of_tensor_group(const Machine& all, const PipelineLayout& layout) {
  Machine group = all;
  group.ranks = group.ranks_per_node = layout.tensor;
  group.nodes_per_leaf = 0;
  return group;
}

namespace {

/// Divides NICs and uplinks among `groups` groups, which send at the same time on every node and below every leaf.
void share_network(Machine& group, int groups) {
  group.nic_Bps = nic_rate_Bps(group.nic_Bps, {.sharers = 1.0 * groups});
  group.uplink_Bps = nic_rate_Bps(group.uplink_Bps, {.sharers = 1.0 * groups});
}

/// The ranks that sum the same gradients with replicas_last: one of each tensor group of every replica. A node holds
/// part of a context group, or whole context groups of whole replicas. A leaf holds part of a replica, or whole
/// replicas.
Machine machine_of_replicas_apart(const Machine& all, const PipelineLayout& layout) {
  const int of_group = layout.ranks_of_group();
  const int of_replica = of_group * layout.stages;
  const int of_node = of_group >= all.ranks_per_node ? all.ranks_per_node / layout.tensor
                                                     : layout.context * std::max(1, all.ranks_per_node / of_replica);
  Machine group = all;
  group.ranks = layout.sharers();
  group.ranks_per_node = std::min(layout.sharers(), std::max(1, of_node));
  const int beside = std::max(1, all.ranks_per_node / group.ranks_per_node); // number of groups on a node
  group.nic_Bps = nic_rate_Bps(group.nic_Bps, {.sharers = 1.0 * beside});
  if (all.nodes_per_leaf == 0) return group;
  const int nodes_of_group = std::max(1, of_group / all.ranks_per_node);
  const int nodes_of_replica = std::max(1, of_replica / all.ranks_per_node);
  group.nodes_per_leaf =
      std::min(all.nodes_per_leaf, nodes_of_group * std::max(1, all.nodes_per_leaf / nodes_of_replica));
  const double of_leaf = 1.0 * beside * all.nodes_per_leaf / group.nodes_per_leaf;
  group.uplink_Bps = nic_rate_Bps(group.uplink_Bps, {.sharers = of_leaf});
  return group;
}

} // namespace

Machine machine_of_replicas(const Machine& all, const PipelineLayout& layout) {
  if (layout.order == RankOrder::replicas_last) return machine_of_replicas_apart(all, layout);
  Machine group = all;
  group.ranks = layout.sharers();
  group.ranks_per_node = std::min(layout.sharers(), std::max(1, all.ranks_per_node / layout.tensor));
  share_network(group, layout.tensor);
  return group;
}

namespace {

/// A group of `ranks` ranks, `per_node` on each node. The other ranks of a node have groups of their own, which share
/// its NICs.
Machine machine_of_group(const Machine& all, int ranks, int per_node) {
  Machine group = all;
  group.ranks = ranks;
  group.ranks_per_node = std::min(ranks, std::max(1, per_node));
  share_network(group, std::max(1, all.ranks_per_node / group.ranks_per_node));
  return group;
}

} // namespace

Machine machine_of_context(const Machine& all, const PipelineLayout& layout) {
  return machine_of_group(all, layout.context, all.ranks_per_node / layout.tensor);
}

Machine machine_of_experts(const Machine& all, const PipelineLayout& layout, int expert) {
  return machine_of_group(all, expert, all.ranks_per_node / layout.ranks_of_expert());
}

Machine machine_of_expert_replicas(const Machine& all, const PipelineLayout& layout, int expert) {
  return machine_of_group(all, layout.expert_sharers() / expert,
                          all.ranks_per_node / (layout.ranks_of_expert() * expert));
}

Machine machine_of_pair(const Machine& all, const PipelineLayout& layout, int stage) {
  const auto from = nodes_of_stage(all, layout, stage);
  const auto to = nodes_of_stage(all, layout, (stage + 1) % layout.stages);
  Machine pair = all;
  pair.ranks = 2;
  pair.nodes_per_leaf = 0;
  if (from.nodes.front() == to.nodes.front()) {
    pair.ranks_per_node = 2;
    return pair;
  }
  pair.ranks_per_node = 1;
  NicUse use{.sharers = 1.0 * from.ranks_of_node};
  if (all.intra_Bps > 0) use.ceiling_Bps = all.intra_Bps;
  pair.nic_Bps = nic_rate_Bps(all.nic_Bps, use);
  const int between_leaves = pairs_between_leaves(all, from, to);
  if (between_leaves == 0) return pair;
  pair.nodes_per_leaf = 1;
  pair.uplink_Bps = nic_rate_Bps(all.uplink_Bps, {.sharers = 1.0 * between_leaves});
  return pair;
}

double micro_batch_samples(const ModelParallelOptions& options, double batch_per_gpu) {
  return batch_per_gpu * ranks_of_replica(options) / options.micro_batches;
}

namespace {

/// Returns why the micro-batches cannot be; "" where they can.
std::string micro_batch_complaint(const ModelParallelOptions& options, double batch_per_gpu) {
  const int pieces = options.pipeline * options.virtual_stages;
  if (1.0 * options.micro_batches * pieces > most_passes)
    return fmt::format("{} micro-batches through {} pieces are more than the {:.0f} that are simulated; give fewer",
                       options.micro_batches, pieces, most_passes);
  const double samples = micro_batch_samples(options, batch_per_gpu);
  const int of_replica = ranks_of_replica(options);
  if (samples >= 1 && samples == std::floor(samples)) return "";
  return fmt::format("{} samples a GPU are {} for the {} GPUs of a replica, and {} micro-batches of it have {:g} each; "
                     "give a batch_per_gpu or micro_batches that come out whole",
                     batch_per_gpu, batch_per_gpu * of_replica, of_replica, options.micro_batches, samples);
}

/// Returns why tensor groups cannot be inside nodes; "" where they can.
std::string node_complaint(const ModelParallelOptions& options, int gpus, int gpus_per_node) {
  if (gpus <= gpus_per_node || gpus_per_node % options.tensor == 0) return "";
  return fmt::format("tensor parallelism over {} GPUs is simulated inside a node only, and one has {}; give a "
                     "\"tensor\" that divides it",
                     options.tensor, gpus_per_node);
}

/// Returns why the groups cannot be on such nodes; "" where they can.
std::string evenness_complaint(const ModelParallelOptions& options, int gpus, int gpus_per_node) {
  const int of_replica = ranks_of_replica(options);
  if (is_even(options, gpus, gpus_per_node)) return "";
  if (gpus % of_replica != 0)
    return fmt::format("{} GPUs are no multiple of the {} of a replica; give a multiple of {}", gpus, of_replica,
                       of_replica);
  if (gpus_per_node % options.tensor != 0) return ""; // node_complaint() says so
  if (const int group = gpus_of_context(options); !is_multiple_of_other(group, gpus_per_node))
    return fmt::format("a context group of {} GPUs, {} of a tensor group times {}, shares nodes of {} unevenly; give a "
                       "\"context\" that fills whole nodes, or of which whole groups fill a node",
                       group, options.tensor, options.context, gpus_per_node);
  if (options.rank_order == RankOrder::replicas_last)
    return fmt::format(
        "a replica of {} GPUs shares nodes of {} unevenly; give degrees whose product fills whole nodes, "
        "or of which whole replicas fill a node",
        of_replica, gpus_per_node);
  return fmt::format(
      "{} GPUs give each of {} stages {} GPUs, which share nodes of {} unevenly; give a multiple of {} GPUs", gpus,
      options.pipeline, gpus / options.pipeline, gpus_per_node, options.pipeline * gpus_per_node);
}

} // namespace

std::string layout_complaint(const Model& model, const Strategy& strategy, double batch_per_gpu, int gpus,
                             int gpus_per_node) {
  if (!is_model_parallel(strategy.name)) return "";
  const auto& options = strategy.parallel;
  const auto uneven = evenness_complaint(options, gpus, gpus_per_node);
  std::vector<std::string> all{stage_complaint(model, options),
                               micro_batch_complaint(options, batch_per_gpu),
                               tensor_complaint(model, options),
                               matrix_complaint(model, options),
                               context_complaint(model, options),
                               head_complaint(model, options),
                               recompute_complaint(model, options.recompute),
                               node_complaint(options, gpus, gpus_per_node),
                               uneven};
  if (is_even(options, gpus, gpus_per_node)) {
    all.push_back(expert_complaint(model, options, gpus, gpus_per_node));
    all.push_back(
        shard_group_complaint(options, sharers_of(options, gpus),
                              std::min(sharers_of(options, gpus), std::max(1, gpus_per_node / options.tensor))));
  }
  std::erase(all, "");
  return fmt::format("{}", fmt::join(all, "; besides, "));
}

namespace {

bool can_be_laid_out(const ModelParallelOptions& options, int gpus, int gpus_per_node) {
  return is_even(options, gpus, gpus_per_node) && deals_experts(options, gpus, gpus_per_node);
}

} // namespace

int gpus_of_domain_used(const ModelParallelOptions& options, int gpus, int gpus_per_node, int domain_nodes) {
  for (int nodes = domain_nodes; nodes > 0; --nodes)
    if (can_be_laid_out(options, gpus, nodes * gpus_per_node)) return nodes * gpus_per_node;
  return gpus_per_node * domain_nodes;
}

int most_gpus_laid_out(const ModelParallelOptions& options, int most, int gpus_per_node, int domain_nodes) {
  const int of_replica = ranks_of_replica(options);
  int gpus = most / of_replica * of_replica;
  while (gpus > 0 && !can_be_laid_out(options, gpus, gpus_of_domain_used(options, gpus, gpus_per_node, domain_nodes)))
    gpus -= of_replica;
  return gpus;
}

} // namespace ddlsim
