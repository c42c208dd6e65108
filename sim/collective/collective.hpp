#pragma once
// Every collective, an operation and the algorithm that runs it: one table, of which everything that times or
// simulates a collective reads its row.

#include "sim/collective/class_schedule.hpp"
#include "sim/collective/period.hpp"
#include "sim/collective/schedule.hpp"
#include "sim/formats/names.hpp"
#include "sim/network/machine.hpp"
#include "sim/network/placed_fabric.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// What an algorithm sends between nodes, as the links of a fabric and the jobs beside it meet that.
struct TrafficBetweenNodes {
  TrafficPattern pattern;
  /// Bytes that the NIC of a node sends in one operation with so many bytes on the wire.
  double (*nic_bytes)(const Machine&, double wire_bytes);
  /// Messages, one after another, in which the NIC sends them.
  int (*rounds)(const Machine&, double wire_bytes);
  /// Its messages pass every GPU of a node, and not every node once.
  bool passes_every_gpu;
};

/// One row. The algorithm's source in sim/collective defines it; its header has the formula and where that is from.
struct CollectiveAlgorithm {
  /// Closed form, seconds. Throws std::invalid_argument when a link in use has no rate.
  double (*time_s)(const Machine&, double size_bytes);
  /// The closed form knows which ranks a slow node and leaves delay; else every NIC counts as slow as the slow node's.
  bool follows_ranks;
  /// Where SimGrid with every message takes as long as the formula to 1e-6, for two ranks and more.
  bool (*is_exact)(const Machine&);
  TrafficBetweenNodes between_nodes;
  /// One sentence where ranks are not alike enough for one period of them to stand for all; nothing where they are.
  std::optional<std::string> (*why_no_symmetry)(const Machine&);
  /// The steps of one period, for two ranks and more; null where no period stands for all.
  std::vector<PeriodSteps> (*period)(const Machine&, double size_bytes);
  /// Where ranks are almost alike: one of each class, with the messages of at most so many chunks, and why it cannot
  /// be; null where nothing of the kind exists.
  ClassSchedule (*class_schedule)(const Machine&, double size_bytes, int most_chunks) = nullptr;
  std::optional<std::string> (*why_no_classes)(const Machine&) = nullptr;
  /// Every message; null for rings, whose ranks are not in step: simulate_rings() of sim/simgrid/full.hpp runs them.
  Schedule (*schedule)(const Machine&, double size_bytes) = nullptr;
  /// Messages of a full run that moves `size_bytes` in `operations` operations, for two ranks and more.
  double (*messages)(const Machine&, double size_bytes, int operations) = nullptr;
  /// Programs of one rank in its schedule, which run beside each other.
  int programs_per_rank = 1;
  /// Where the schedule is null: times that a chunk goes round the ring but for one rank, n-1 steps each.
  int ring_turns = 2;
  /// And the messages of a chunk, two of which are in flight; null: one, which is waited for.
  int (*ring_segments)(const Machine&, double size_bytes) = nullptr;
};

#define DDLSIM_COLLECTIVE(operation, algorithm, text) extern const CollectiveAlgorithm algorithm##_##operation;
#include "sim/formats/collectives.def"

/// The collective's row. Throws std::logic_error for an operation that the algorithm does not have.
const CollectiveAlgorithm& collective_algorithm(const CollectiveKind& collective);

/// Time of one collective of `size_bytes` when nothing else uses the links, seconds; 0 for one rank. The rings know a
/// slow node; for the others every NIC counts as slow as the slow node's, which is an upper bound. Throws
/// std::invalid_argument when a link in use has no rate.
double collective_s(const Machine& machine, double size_bytes, const CollectiveKind& collective);
double all_reduce_s(const Machine& machine, double size_bytes, Algorithm algorithm);

// A collective of which one node, or one leaf, is followed and stands for all others.

/// Why one period of ranks cannot stand for all, in one sentence; nothing where it can:
/// ring and hierarchical ring on full nodes (and full leaves where uplinks are narrower than NICs) without a slow node,
/// halving-doubling on one switch with full nodes of 2^a ranks. A double tree never: every node has another height.
std::optional<std::string> why_no_symmetry(const Machine& machine, const CollectiveKind& collective);

/// The same for one rank of each class, which is almost as good: a double tree on one switch without a slow node.
std::optional<std::string> why_no_classes(const Machine& machine, const CollectiveKind& collective);

/// What the ranks of one period do:
///   ring              2(n-1) steps
///   hierarchical      n-1 steps inside a node, the ring over nodes, and those inside again
///   halving-doubling  each step of sim/collective/pair_exchange.hpp once, with a rank's share of the busiest node
/// Nothing for one rank. Ask `why_no_symmetry` first.
std::vector<PeriodSteps> period_of(const Machine& machine, double size_bytes, const CollectiveKind& collective);

} // namespace ddlsim
