#pragma once
// Ring all-reduce: reduce-scatter then all-gather, 2(n-1) steps of S/n bytes (Patarasuk and Yuan, J. Parallel Distrib. Comput. 69, 2009).

#include "sim/model/machine.hpp"

namespace ddlsim {

/// Time of one ring all-reduce of `size_bytes` when nothing else uses the links, seconds; 0 for one rank.
///
/// Every rank forwards a chunk as soon as it has it. An edge is busy chunk/rate per chunk and delays it by its latency (a latency
/// delays, it does not occupy):
///   1. start(e, s)      = max(have(r, s), start(e, s-1) + chunk/rate_e)        e = edge r -> r+1
///   2. have(r+1, s+1)   = start(e, s) + chunk/rate_e + latency_e
///   3. the ring is done at max over r of have(r, 2(n-1))
/// On equal edges this is 2(n-1) (latency + S/(n rate)). With full nodes only ranks_per_node edges differ, so cost is
/// O(ranks_per_node x steps); a short last node costs O(ranks x steps).
double ring_all_reduce_s(const Machine& machine, double size_bytes);

/// Rate and delay of the edge that leaves `rank`; a fat-tree's uplink narrows the edges that leave a leaf.
struct RingEdge {
  double rate_Bps = 0;
  double latency_s = 0;
};
RingEdge ring_edge(const Machine& machine, int rank);

} // namespace ddlsim
