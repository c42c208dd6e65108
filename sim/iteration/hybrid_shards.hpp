#pragma once
// Hybrid sharding: the ranks that share one copy of a model's state, and the ranks that hold the same part of it.

#include "sim/network/machine.hpp"

#include <string>

namespace ddlsim {

/// The ranks that share one copy of the state: `group` consecutive ranks. Groups on the same node share its NICs. Where
/// groups of several nodes do not fill leaves, a group may lie on two leaves and share an uplink with one other group.
Machine machine_of_shards(const Machine& all, int group);

/// The ranks that hold the same part of the state: one of each group. `group` such sets all-reduce at the same time,
/// and share NICs and uplinks.
Machine machine_of_shard_replicas(const Machine& all, int group);

/// Returns one sentence that says why `gpus` GPUs cannot be divided into groups of `group`, and what to do; "" where
/// they can.
std::string shard_complaint(int group, int gpus, int gpus_per_node);

/// The largest number of GPUs up to `most` that can be divided into groups of `group`.
int most_gpus_in_groups(int group, int most);

} // namespace ddlsim
