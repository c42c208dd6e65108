#pragma once
// All-reduce that the NVLink switches sum inside a node, and the switches between nodes across nodes (NVIDIA SHARP):
// NCCL's NVLS across nodes.

#include "sim/collective/schedule.hpp"
#include "sim/network/machine.hpp"

namespace ddlsim {

/// Time of one such all-reduce of `size_bytes`, seconds; 0 for one rank: in_network_reduction_s(), where with g ranks a
/// full node a port passes S (1 + 1/g) as in sim/collective/nvls.hpp, half of it before the heads' sums leave the node:
/// p = 1 + 1/g.
double nvls_sharp_all_reduce_s(const Machine& machine, double size_bytes);

/// Every message of it.
Schedule nvls_sharp_schedule(const Machine& machine, double size_bytes);

} // namespace ddlsim
