#pragma once
// All-reduce whose sums are made by the switches between nodes (NVIDIA SHARP): NCCL's CollNet.

#include "sim/collective/schedule.hpp"
#include "sim/network/machine.hpp"

namespace ddlsim {

/// Time of one such all-reduce of `size_bytes`, seconds; 0 for one rank: in_network_reduction_s(), where with g ranks a
/// full node a GPU sends S (g-1)/g to the heads of its node (CollNet Direct) and as much as a head: p = 2 (g-1)/g.
///
/// NCCL's CollNet Chain, without an NVSwitch, goes through the node's GPUs one after another and passes up to 2 S
/// through a port; it is taken as Direct, with its own latency (sim/library/collective_cost.hpp).
double collnet_all_reduce_s(const Machine& machine, double size_bytes);

/// Every message of it.
Schedule collnet_schedule(const Machine& machine, double size_bytes);

} // namespace ddlsim
