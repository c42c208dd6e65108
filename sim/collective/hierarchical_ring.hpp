#pragma once
// Hierarchical ring all-reduce: reduce-scatter inside each node, all-reduce of each part over the nodes, all-gather
// inside each node (Jia et al., "Highly scalable deep learning training system with mixed-precision", 2018; Horovod's
// hierarchical all-reduce over NCCL and MPI).

#include "sim/collective/schedule.hpp"
#include "sim/network/machine.hpp"

namespace ddlsim {

/// Time of one hierarchical ring all-reduce of `size_bytes`, seconds; 0 for one rank. With g ranks a full node
/// and N nodes:
///   T = 2(g-1) (latency_intra + S/(g rate_intra))      reduce-scatter before, all-gather after
///     + the ring of N nodes with S bytes               (ring_all_reduce_s)
/// The g rings of S/g bytes run beside each other and share the NIC, so each node moves S/N a step, whatever g; on one
/// switch the second line is 2(N-1) (latency_net + S/(N rate_nic)). A short last node takes no longer inside than a
/// full one, and its ranks carry the g parts between them. O(1) on one switch.
/// Throws std::invalid_argument when a link in use has no rate.
double hierarchical_ring_all_reduce_s(const Machine& machine, double size_bytes);

/// The schedule of all messages of one such all-reduce. In a node of m ranks, rank p m/g carries part p of g.
Schedule hierarchical_ring_schedule(const Machine& machine, double size_bytes);

} // namespace ddlsim
