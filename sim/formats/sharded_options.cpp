#include "sim/formats/sharded_options.hpp"

#include "sim/base/error.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace ddlsim {
namespace {

constexpr long most_in_flight = 1000;
constexpr long most_of_group = 1'000'000;
const char* const node_word = "node";

/// A number of ranks, or the word "node".
int shard_group_from(const JsonNode& node) {
  const char* const key = "shard_group";
  if (!node.has(key)) return ShardedOptions::all_ranks;
  const auto& value = node.value()[key];
  if (!value.is_string()) return static_cast<int>(node.integer(key, 2, most_of_group));
  const auto word = value.get<std::string>();
  if (word != node_word)
    node.mistake_at(key, fmt::format("{} found; {}a number of GPUs or \"node\" expected", describe(value),
                                     nearest_name(word, {node_word}).empty() ? "" : "did you mean \"node\"? "));
  return ShardedOptions::a_node;
}

/// Parameters of zero-1 and zero-2 stay whole on every GPU.
Offload offload_from(const JsonNode& node, StrategyName name) {
  const auto offload = one_of_or(node, "offload", Offload::none);
  if (offload == Offload::optimizer_and_parameters && name != StrategyName::fsdp)
    node.mistake_at("offload", fmt::format("{} keeps parameters whole on every GPU; give \"optimizer\", or the name "
                                           "\"fsdp\"",
                                           to_text(name)));
  return offload;
}

} // namespace

void read_sharded_fields(const JsonNode& node, Strategy& strategy) {
  auto& sharded = strategy.sharded;
  sharded.micro_batches = static_cast<int>(node.integer_or("micro_batches", 1, 1, most_micro_batches));
  sharded.recompute = one_of_or(node, "recompute", Recompute::none);
  sharded.offload = offload_from(node, strategy.name);
  if (strategy.name != StrategyName::fsdp) return;
  sharded.reshard_after_forward = node.boolean_or("reshard_after_forward", true);
  sharded.backward_prefetch = node.boolean_or("backward_prefetch", true);
  sharded.gathers_in_flight =
      static_cast<int>(node.integer_or("gathers_in_flight", sharded.gathers_in_flight, 1, most_in_flight));
  sharded.shard_group = shard_group_from(node);
}

nlohmann::json shard_group_json(const ShardedOptions& sharded) {
  return sharded.shard_group == ShardedOptions::a_node ? nlohmann::json(node_word)
                                                       : nlohmann::json(sharded.shard_group);
}

void add_sharded(nlohmann::json& json, const ShardedOptions& sharded) {
  const ShardedOptions usual;
  if (sharded.reshard_after_forward != usual.reshard_after_forward) json["reshard_after_forward"] = false;
  if (sharded.backward_prefetch != usual.backward_prefetch) json["backward_prefetch"] = false;
  if (sharded.gathers_in_flight != usual.gathers_in_flight) json["gathers_in_flight"] = sharded.gathers_in_flight;
  if (sharded.micro_batches != usual.micro_batches) json["micro_batches"] = sharded.micro_batches;
  if (sharded.recompute != usual.recompute) json["recompute"] = to_text(sharded.recompute);
  if (sharded.offload != usual.offload) json["offload"] = to_text(sharded.offload);
  if (sharded.shard_group != usual.shard_group) json["shard_group"] = shard_group_json(sharded);
}

std::string sharded_text(const Strategy& strategy) {
  const auto& sharded = strategy.sharded;
  const ShardedOptions usual;
  std::vector<std::string> parts;
  if (sharded.shard_group == ShardedOptions::a_node) parts.emplace_back("groups of a node");
  if (sharded.shard_group > 0) parts.push_back(fmt::format("groups of {}", sharded.shard_group));
  if (!sharded.reshard_after_forward) parts.emplace_back("kept after forward");
  if (!sharded.backward_prefetch) parts.emplace_back("no prefetch");
  if (sharded.gathers_in_flight != usual.gathers_in_flight)
    parts.push_back(fmt::format("{} in flight", sharded.gathers_in_flight));
  if (sharded.micro_batches > 1) parts.push_back(fmt::format("{} micro-batches", sharded.micro_batches));
  if (sharded.recompute != Recompute::none) parts.push_back(to_text(sharded.recompute) + " recomputation");
  if (sharded.offload == Offload::optimizer) parts.emplace_back("optimizer on the host");
  if (sharded.offload == Offload::optimizer_and_parameters) parts.emplace_back("optimizer and parameters on the host");
  const std::string name = to_text(strategy.name);
  return parts.empty() ? name : fmt::format("{}({})", name, join_names(parts));
}

int ranks_of_shard_group(const ShardedOptions& sharded, int gpus, int gpus_per_node) {
  if (sharded.shard_group == ShardedOptions::all_ranks) return gpus;
  return std::min(gpus, sharded.shard_group == ShardedOptions::a_node ? gpus_per_node : sharded.shard_group);
}

} // namespace ddlsim
