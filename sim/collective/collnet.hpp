#pragma once
// All-reduce in which the switches between nodes sum (NVIDIA SHARP): NCCL's CollNet.

#include "sim/collective/schedule.hpp"
#include "sim/network/machine.hpp"

namespace ddlsim {

/// Time of one such all-reduce of `size_bytes`, seconds; 0 for one rank. It is in_network_reduction_s() with
/// p = 2 (g-1)/g for g ranks a full node: a GPU sends S (g-1)/g to the heads of its node (CollNet Direct) and, being a
/// head itself, as much again.
///
/// NCCL's CollNet Chain, without an NVSwitch, goes through the node's GPUs one after another and passes up to 2 S
/// through a port. It is timed like Direct, but with its own latency (sim/library/collective_cost.hpp).
double collnet_all_reduce_s(const Machine& machine, double size_bytes);

/// The schedule of all messages of one such all-reduce.
Schedule collnet_schedule(const Machine& machine, double size_bytes);

} // namespace ddlsim
