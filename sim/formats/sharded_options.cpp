#include "sim/formats/sharded_options.hpp"

#include "sim/base/error.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace ddlsim {

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
