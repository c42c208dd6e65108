#pragma once
// All-reduce in which NVLink switches sum inside a node, and the switches between nodes sum across nodes (NVIDIA
// SHARP): NCCL's NVLS across nodes.

#include "sim/collective/schedule.hpp"
#include "sim/network/machine.hpp"

namespace ddlsim {

/// Time of one such all-reduce of `size_bytes`, seconds; 0 for one rank. It is in_network_reduction_s() with p = 1 +
/// 1/g for g ranks a full node. As in sim/collective/nvls.hpp, a port passes S (1 + 1/g); half of these bytes pass
/// before the heads' sums leave the node.
double nvls_sharp_all_reduce_s(const Machine& machine, double size_bytes);

/// The schedule of all messages of one such all-reduce.
Schedule nvls_sharp_schedule(const Machine& machine, double size_bytes);

} // namespace ddlsim
