#pragma once
// The ring (Patarasuk and Yuan, J. Parallel Distrib. Comput. 69, 2009). Reduce-scatter: n-1 steps of S/n bytes, after
// which each rank has its part of the sum. All-gather: as many steps, after which every rank has all parts. All-reduce:
// both.

#include "sim/collective/period.hpp"
#include "sim/network/machine.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// The edges of one period of the ring: those of a node, or of a leaf whose uplink is narrower than a NIC.
std::vector<PeriodEdge> ring_period_edges(const Machine& machine);

/// Time of one ring all-reduce of `size_bytes` when nothing else uses the links, seconds; 0 for one rank.
///
/// Every rank forwards a chunk as soon as it has it. An edge is busy chunk/rate per chunk and delays it by its latency
/// (a latency delays, it does not occupy). With w_e = chunk/rate_e and K = 2(n-1) steps:
///   1. start(e, s)    = max(have(r, s), start(e, s-1) + w_e)        e = edge r -> r+1
///   2. have(r+1, s+1) = start(e, s) + w_e + latency_e
///   3. the ring is done at max over r of have(r, K)
/// This recurrence in K steps over n ranks is the same as its slowest path: every step either stays at an edge (its
/// next chunk, w_e) or hands on to the next edge (w_e + latency_e), and a path stays longest where it is slowest:
///   4. T = max over runs of m <= K neighbouring edges of [ sum of (w + latency) + (K - m) x largest w ]
/// which costs O(n) for any mix of edges, a short last node included, and O(edges of a node squared) where all nodes
/// are full. On equal edges T = 2(n-1) (latency + S/(n rate)). A message that is all latency crosses the network
/// ceil(2(n-1) nodes/n) times. Throws std::invalid_argument when an edge has no rate, see ring_edge.
double ring_all_reduce_s(const Machine& machine, double size_bytes);

/// Time of a ring with any number of steps K, seconds; each step passes on a chunk of S/n bytes.
double ring_steps_s(const Machine& machine, double size_bytes, int steps);

/// The links and the delay on the way from `rank` to the next one. A fat-tree's uplink narrows the edges that leave a
/// leaf. Throws std::invalid_argument when a rate is not above zero.
PeriodEdge ring_edge(const Machine& machine, int rank);

/// Number of edges after which the ring repeats itself. A period is the edges of a node, or of a leaf whose uplink is
/// narrower than a NIC. It is all edges where the last node or leaf is short, or a node is slow.
int ring_period(const Machine& machine);

/// Returns one sentence that says why one period of the ring cannot stand for all ranks; nothing where it can.
std::optional<std::string> why_ring_has_no_symmetry(const Machine& machine);

} // namespace ddlsim
