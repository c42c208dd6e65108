#include "sim/formats/strategy.hpp"

#include "sim/base/error.hpp"
#include "sim/formats/parallel_checks.hpp"
#include "sim/formats/readers.hpp"
#include "sim/formats/sharded_options.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace ddlsim {

namespace {

using Rule = ServerCount::Rule;

const char* const best_word = "best";

std::string servers_text(const ServerCount& servers) {
  switch (servers.rule) {
  case Rule::count:
    return fmt::format("{}", servers.value);
  case Rule::per_node:
    return fmt::format("{} a node", servers.value);
  case Rule::equal_workers:
    return "as many as workers";
  case Rule::best:
    return "best servers";
  case Rule::unknown:
    break;
  }
  return "unknown count";
}

/// Returns "4 dedicated, bytes". Settings that are searched are not named: "best servers", "best servers dedicated,
/// split".
std::string servers_and_sharding(const Strategy& strategy) {
  auto text = servers_text(strategy.servers);
  if (!seeks_best_servers(strategy) || strategy.placement != Placement::unknown)
    text += " " + to_text(strategy.placement);
  if (!seeks_best_servers(strategy) || strategy.sharding != Sharding::unknown)
    text += ", " + to_text(strategy.sharding);
  return text;
}

} // namespace

bool shards_parameters(const Strategy& strategy) {
  return is_model_parallel(strategy.name) && strategy.parallel.data_parallel == DataParallel::fsdp;
}

bool frees_after_forward(const ModelParallelOptions& options) {
  return options.reshard_after_forward.value_or(options.pipeline == 1);
}

int ranks_of_shard_group(const ModelParallelOptions& options, int sharers, int sharers_of_node) {
  if (options.shard_group == ShardedOptions::all_ranks) return sharers;
  const int group = options.shard_group == ShardedOptions::a_node ? sharers_of_node : options.shard_group;
  return std::min(sharers, group);
}

bool has_micro_batches(StrategyName name) {
  const auto family = family_of(name);
  return family == StrategyFamily::sharded || family == StrategyFamily::model_parallel ||
         family == StrategyFamily::all_reduce;
}

int micro_batches_of(const Strategy& strategy) {
  const bool stated = has_micro_batches(strategy.name) && !is_model_parallel(strategy.name);
  return stated ? strategy.sharded.micro_batches : 1;
}

Recompute recompute_of(const Strategy& strategy) {
  if (is_model_parallel(strategy.name)) return strategy.parallel.recompute;
  return has_micro_batches(strategy.name) ? strategy.sharded.recompute : Recompute::none;
}

bool seeks_best_servers(const Strategy& strategy) {
  return is_parameter_server(strategy.name) && strategy.servers.rule == Rule::best;
}

bool seeks_best_layout(const Strategy& strategy) {
  const auto& parallel = strategy.parallel;
  const auto degrees = {parallel.tensor,        parallel.pipeline,       parallel.context,
                        parallel.micro_batches, parallel.virtual_stages, parallel.expert};
  return is_model_parallel(strategy.name) &&
         (parallel.recompute == Recompute::best ||
          std::find(degrees.begin(), degrees.end(), ModelParallelOptions::best) != degrees.end());
}

namespace {

std::string degree_text(int degree) {
  return degree == ModelParallelOptions::best ? best_word : fmt::format("{}", degree);
}

/// Adds a degree in words, but one that "best layout" says already.
void add_degree(std::vector<std::string>& parts, const ModelParallelOptions& parallel, const char* form, int degree) {
  if (degree == 1 || (parallel.best_layout && degree == ModelParallelOptions::best)) return;
  parts.push_back(fmt::format(fmt::runtime(form), degree_text(degree)));
}

std::string schedule_text(const ModelParallelOptions& parallel) {
  const bool is_interleaved = parallel.schedule == PipelineSchedule::interleaved;
  return to_text(parallel.schedule) + (is_interleaved ? " by " + degree_text(parallel.virtual_stages) : "");
}

void add_stages(std::vector<std::string>& parts, const ModelParallelOptions& parallel) {
  add_degree(parts, parallel, "{} stages", parallel.pipeline);
  if (parallel.pipeline != 1 || parallel.micro_batches != 1)
    if (!parallel.best_layout || parallel.micro_batches != ModelParallelOptions::best)
      parts.push_back(degree_text(parallel.micro_batches) + " micro-batch" + (parallel.micro_batches == 1 ? "" : "es"));
  if (parallel.pipeline != 1 && !(parallel.best_layout && parallel.virtual_stages == ModelParallelOptions::best))
    parts.push_back(schedule_text(parallel));
  if (parallel.first_stage_blocks > 0) parts.push_back(fmt::format("{} blocks first", parallel.first_stage_blocks));
  if (parallel.last_stage_blocks > 0) parts.push_back(fmt::format("{} blocks last", parallel.last_stage_blocks));
}

/// Adds how tokens reach experts.
void add_experts(std::vector<std::string>& parts, const ModelParallelOptions& parallel) {
  add_degree(parts, parallel, "expert {}", parallel.expert);
  if (parallel.expert_tensor > 0) parts.push_back(fmt::format("tensor {} in experts", parallel.expert_tensor));
  if (parallel.expert_exchange != ExpertExchange::all_to_all)
    parts.push_back("tokens by " + to_text(parallel.expert_exchange));
  if (parallel.expert_overlap) parts.emplace_back("beside compute");
  if (parallel.expert_imbalance > 0) parts.push_back(fmt::format("busiest {:g}", parallel.expert_imbalance));
}

/// Returns "zero-1", "fsdp" or "fsdp in groups of 8 kept after forward".
std::string replicas_text(const ModelParallelOptions& parallel) {
  auto text = to_text(parallel.data_parallel);
  if (parallel.shard_group == ShardedOptions::a_node) text += " in groups of a node";
  if (parallel.shard_group > 0) text += fmt::format(" in groups of {}", parallel.shard_group);
  if (parallel.reshard_after_forward)
    text += *parallel.reshard_after_forward ? " freed after forward" : " kept after forward";
  return text;
}

/// Returns "model-parallel(tensor 8, 4 stages, 8 micro-batches, 1f1b)".
std::string model_parallel_text(const Strategy& strategy) {
  const auto& parallel = strategy.parallel;
  std::vector<std::string> parts;
  if (parallel.best_layout) parts.emplace_back("best layout");
  add_degree(parts, parallel, parallel.tensor_overlap ? "tensor {} overlapped" : "tensor {}", parallel.tensor);
  add_degree(parts, parallel, "context {}", parallel.context);
  if (parallel.context_kind != ContextKind::all_gather) parts.back() += " by " + to_text(parallel.context_kind);
  add_experts(parts, parallel);
  add_stages(parts, parallel);
  if (parallel.rank_order != RankOrder::stages_last) parts.push_back("ranks " + to_text(parallel.rank_order));
  if (parallel.data_parallel != DataParallel::all_reduce && parallel.shard_group != searched_replicas)
    parts.push_back(replicas_text(parallel));
  const bool is_said = parallel.best_layout && parallel.recompute == Recompute::best;
  if (parallel.recompute != Recompute::none && !is_said)
    parts.push_back(to_text(parallel.recompute) + " recomputation");
  return fmt::format("{}({})", to_text(strategy.name), join_names(parts));
}

} // namespace

bool deals_experts(const Strategy& strategy) {
  return is_model_parallel(strategy.name) && strategy.parallel.expert > 1;
}

std::string to_text(const Strategy& strategy) {
  if (is_model_parallel(strategy.name)) return model_parallel_text(strategy);
  if (has_micro_batches(strategy.name)) return sharded_text(strategy);
  if (!is_parameter_server(strategy.name)) return to_text(strategy.name);
  return fmt::format("{}({}{}{})", to_text(strategy.name), servers_and_sharding(strategy),
                     strategy.on_node_reduce ? "" : ", no on-node reduce",
                     strategy.device == Device::cpu ? "" : ", on " + to_text(strategy.device));
}

std::string label_of(const Strategy& strategy) {
  const auto library = strategy.library ? " of " + to_text(*strategy.library) : "";
  return to_text(strategy) + library + (strategy.preset.empty() ? "" : " with " + strategy.preset) +
         (strategy.transport.empty() ? "" : " over " + strategy.transport);
}

int server_count(const ServerCount& servers, int workers, int nodes) {
  switch (servers.rule) {
  case Rule::count:
    return servers.value;
  case Rule::per_node:
    return servers.value * nodes;
  case Rule::equal_workers:
    return workers;
  case Rule::unknown:
  case Rule::best:
    break;
  }
  return 0;
}

} // namespace ddlsim
