#pragma once
// The ways to sum a vector over all ranks: one table, of which everything that times, simulates or judges an
// all-reduce reads its row.

#include "sim/collective/schedule.hpp"
#include "sim/formats/names.hpp"
#include "sim/network/machine.hpp"

#include <optional>
#include <string>

namespace ddlsim {

/// Full over closed form, less 1: the range in which full runs were found.
struct Gap {
  double faster = 0;
  double slower = 0;
};

/// One algorithm. Its source in sim/collective defines its row, its header has the formula and where it is from.
struct AllReduceAlgorithm {
  /// Closed form, seconds. Throws std::invalid_argument when a link in use has no rate.
  double (*time_s)(const Machine&, double size_bytes);
  /// The closed form knows which ranks a slow node and leaves delay; else every NIC counts as slow as the slow node's.
  bool follows_ranks;
  /// Where full = closed form to 1e-6, for two ranks and more.
  bool (*is_exact)(const Machine&);
  /// Elsewhere: how far the two are apart for one operation on a switch without a slow node, and why, in words.
  Gap (*gap)(const Machine&, double operation_bytes);
  const char* why_inexact;
  /// One sentence where ranks are not alike enough for one period of them to stand for all; nothing where they are.
  std::optional<std::string> (*why_not_reduced)(const Machine&);
  /// The full run of one period, seconds; null where only a single rank can be reduced.
  double (*reduced_s)(const Machine&, double size_bytes);
  /// Every message; null for the ring, which sim/simgrid/full_ring.hpp runs: its ranks are not in step.
  Schedule (*schedule)(const Machine&, double size_bytes);
  /// Messages of a full run that moves `size_bytes` in `operations` operations, for two ranks and more.
  double (*messages)(const Machine&, double size_bytes, int operations);
  /// Programs of one rank in its schedule, which run beside each other.
  int programs_per_rank = 1;
};

#define DDLSIM_ALL_REDUCE(value, text) extern const AllReduceAlgorithm value##_all_reduce;
#include "sim/formats/all_reduces.def"

/// The algorithm's row.
const AllReduceAlgorithm& all_reduce_algorithm(Algorithm algorithm);

/// Time of one all-reduce of `size_bytes` when nothing else uses the links, seconds; 0 for one rank. The rings know a
/// slow node; for the others every NIC counts as slow as the slow node's, which is an upper bound. Throws
/// std::invalid_argument when a link in use has no rate.
double all_reduce_s(const Machine& machine, double size_bytes, Algorithm algorithm);

// An all-reduce of which one node, or one leaf, is followed and stands for all others.

/// Why one period of ranks cannot stand for all, in one sentence; nothing where it can:
/// ring and hierarchical ring on full nodes (and full leaves where uplinks are narrower than NICs) without a slow node,
/// halving-doubling on one switch with full nodes of 2^a ranks. A double tree never: every node has another height.
std::optional<std::string> why_not_reduced(const Machine& machine, Algorithm algorithm);

/// Time of one all-reduce of `size_bytes`, seconds, step by step for the ranks of one period:
///   ring            start(e, s) = max(have(r, s), start(e, s-1) + w_e), have(r+1, s+1) = start(e, s) + w_e + latency_e
///                   where the rank after the period's last is, by symmetry, its first
///   hierarchical    that ring inside a node, the one over nodes, and the one inside again
///   halving-doubling  the steps of sim/collective/halving_doubling.hpp, each simulated once for the busiest node
/// O(steps x ranks of a period): 16,384 ranks, 8 a node, 0.3 million additions. Ask `why_not_reduced` first.
double reduced_all_reduce_s(const Machine& machine, double size_bytes, Algorithm algorithm);

} // namespace ddlsim
