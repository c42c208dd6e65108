#pragma once
// Hybrid sharding: where the ranks are that share one copy of a model's state, and where those that hold the same part.

#include "sim/network/machine.hpp"

#include <string>

namespace ddlsim {

/// Groups of that many ranks follow each other. Those beside each other on a node share its NICs; where groups of
/// several nodes do not fill leaves, one straddles two of them, whose uplinks it shares with one more.
Machine machine_of_shards(const Machine& all, int group);

/// One rank of each group. As many such sets as a group has ranks sum at the same time, and share NICs and uplinks.
Machine machine_of_shard_replicas(const Machine& all, int group);

/// Why so many GPUs are not dealt out into such groups, one sentence with what to do; "" where they are.
std::string shard_complaint(int group, int gpus, int gpus_per_node);

/// The most GPUs up to `most` that are.
int most_gpus_in_groups(int group, int most);

} // namespace ddlsim
