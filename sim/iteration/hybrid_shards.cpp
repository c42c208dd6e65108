#include "sim/iteration/hybrid_shards.hpp"

#include "sim/network/nic_rate.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {

Machine machine_of_shards(const Machine& all, int group) {
  Machine shards = all;
  shards.ranks = group;
  shards.ranks_per_node = std::min(group, all.ranks_per_node);
  const int nodes = shards.nodes();
  const int leaf = all.nodes_per_leaf;
  if (leaf == 0 || leaf % nodes == 0 || nodes % leaf == 0) return shards;
  constexpr double groups_of_leaf_that_straddle = 2;
  shards.uplink_Bps = nic_rate_Bps(shards.uplink_Bps, {.sharers = groups_of_leaf_that_straddle});
  if (nodes < leaf) shards.nodes_per_leaf = (nodes + 1) / 2;
  return shards;
}

Machine machine_of_shard_replicas(const Machine& all, int group) {
  const int nodes_of_group = std::max(1, group / all.ranks_per_node);
  Machine replicas = all;
  replicas.ranks = all.ranks / group;
  replicas.ranks_per_node = std::min(replicas.ranks, std::max(1, all.ranks_per_node / group));
  const int sets_of_node = std::min(group, all.ranks_per_node);
  replicas.nic_Bps = nic_rate_Bps(replicas.nic_Bps, {.sharers = 1.0 * sets_of_node});
  if (all.nodes_per_leaf == 0) return replicas;
  replicas.nodes_per_leaf = std::max(1, all.nodes_per_leaf / nodes_of_group);
  const double sets_of_leaf = 1.0 * sets_of_node * std::min(nodes_of_group, all.nodes_per_leaf);
  replicas.uplink_Bps = nic_rate_Bps(replicas.uplink_Bps, {.sharers = sets_of_leaf});
  return replicas;
}

std::string shard_complaint(int group, int gpus, int gpus_per_node) {
  if (gpus <= group) return "";
  if (gpus % group != 0)
    return fmt::format("{} GPUs are no multiple of the {} that share one copy of the state; give a multiple of {}",
                       gpus, group, group);
  if (gpus <= gpus_per_node || group % gpus_per_node == 0 || gpus_per_node % group == 0) return "";
  return fmt::format(
      "groups of {} GPUs share nodes of {} unevenly; give a \"shard_group\" that fills whole nodes, or of "
      "which whole groups fill a node",
      group, gpus_per_node);
}

int most_gpus_in_groups(int group, int most) {
  return most <= group ? most : most / group * group;
}

} // namespace ddlsim
