#pragma once
// Ring all-reduce: reduce-scatter then all-gather, 2(n-1) steps of S/n bytes (Patarasuk and Yuan, J. Parallel Distrib.
// Comput. 69, 2009).

#include "sim/collective/schedule.hpp"
#include "sim/network/machine.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

// A collective of which one period of ranks is followed and stands for all others.

/// One link on the way of a message. Where several messages of a step share it, its rate is that of one of them.
struct PeriodLink {
  const char* name = ""; ///< intra, nic-out, leaf-up, leaf-down, nic-in
  double rate_Bps = 0;
};

/// The way from a rank to the next one.
struct PeriodEdge {
  std::vector<PeriodLink> links;
  double latency_s = 0; ///< delays a message, and holds no link

  double rate_Bps() const; ///< of the narrowest link
};

/// Steps in which every rank sends one message to the next rank and waits for the one that comes to it; with two in
/// flight, for the one that came before. Only the ranks of one period are here: after the last of them comes, by
/// symmetry, the first.
struct PeriodSteps {
  std::vector<PeriodEdge> edges; ///< one a rank
  double message_bytes = 0;
  int steps = 0;
  int in_flight = 1;
  int phases = 1; ///< times that all steps are done; a rank begins the next with all messages of the one before
};

/// Edges of a ring's period: those of a node, or of a leaf whose uplink is narrower than a NIC.
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
/// ceil(2(n-1) nodes/n) times. Throws std::invalid_argument when an edge has no rate, see ring_way.
double ring_all_reduce_s(const Machine& machine, double size_bytes);

/// The same in any number of steps K, each of which hands a chunk of S/n on.
double ring_steps_s(const Machine& machine, double size_bytes, int steps);

/// The links and the delay on the way from `rank` to the next one. A fat-tree's uplink narrows the edges that leave a
/// leaf. Throws std::invalid_argument when a rate is not above zero.
PeriodEdge ring_way(const Machine& machine, int rank);

/// Edges after which the ring repeats itself: those of a node, or of a leaf whose uplink is narrower than a NIC; all
/// where the last node or leaf is short, or a node is slow.
int ring_period(const Machine& machine);

/// Why that period cannot stand for all ranks, in one sentence; nothing where it can.
std::optional<std::string> why_ring_has_no_symmetry(const Machine& machine);

// Hierarchical ring all-reduce: reduce-scatter inside each node, all-reduce of each part over the nodes, all-gather
// inside each node (Jia et al., "Highly scalable deep learning training system with mixed-precision", 2018; Horovod's
// hierarchical all-reduce over NCCL and MPI).

/// Time of one hierarchical ring all-reduce of `size_bytes`, seconds; 0 for one rank. With g ranks a full node
/// and N nodes:
///   T = 2(g-1) (latency_intra + S/(g rate_intra))      reduce-scatter before, all-gather after
///     + the ring of N nodes with S bytes               (ring_all_reduce_s)
/// The g rings of S/g bytes run beside each other and share the NIC, so each node moves S/N a step, whatever g; on one
/// switch the second line is 2(N-1) (latency_net + S/(N rate_nic)). A short last node takes no longer inside than a
/// full one, and its ranks carry the g parts between them. O(1) on one switch.
/// Throws std::invalid_argument when a link in use has no rate.
double hierarchical_ring_all_reduce_s(const Machine& machine, double size_bytes);

/// Every message of it. Part p of g is carried by rank p m/g of a node of m ranks.
Schedule hierarchical_ring_schedule(const Machine& machine, double size_bytes);

} // namespace ddlsim
