#pragma once
// The table of collectives. A row is an operation and an algorithm that runs it; all code that times or simulates a
// collective reads its row.

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

/// The messages that an algorithm sends between nodes, for the load on a fabric's links and on neighbouring jobs.
struct TrafficBetweenNodes {
  TrafficPattern pattern;
  /// Bytes that the NIC of a node sends in one operation that has `wire_bytes` on the wire.
  double (*nic_bytes)(const Machine&, double wire_bytes);
  /// Number of messages, one after another, in which the NIC sends these bytes.
  int (*rounds)(const Machine&, double wire_bytes);
  /// True where messages pass every GPU of a node; false where they pass every node once.
  bool passes_every_gpu;
};

/// One row of the table. The algorithm's source in sim/collective defines it; its header has the formula and its
/// source.
struct CollectiveAlgorithm {
  /// Closed form, seconds. Throws std::invalid_argument when a link in use has no rate.
  double (*time_s)(const Machine&, double size_bytes);
  /// Whether the closed form knows which ranks a slow node and leaves delay. If not, every NIC counts as slow as the
  /// slow node's.
  bool follows_ranks;
  /// Whether SimGrid with every message takes the time of the formula to 1e-6, for two ranks and more.
  bool (*is_exact)(const Machine&);
  TrafficBetweenNodes between_nodes;
  /// Returns one sentence that says why one period of ranks cannot stand for all ranks; nothing where it can.
  std::optional<std::string> (*why_no_symmetry)(const Machine&);
  /// The steps of one period of ranks, for two ranks and more; null where no period can stand for all ranks.
  std::vector<PeriodSteps> (*period)(const Machine&, double size_bytes);
  /// A schedule in which one rank stands for each class of nearly equal ranks, with the messages of at most
  /// `most_chunks` chunks; and the reason why a machine cannot have one. Both are null for algorithms without such a
  /// schedule.
  ClassSchedule (*class_schedule)(const Machine&, double size_bytes, int most_chunks) = nullptr;
  std::optional<std::string> (*why_no_classes)(const Machine&) = nullptr;
  /// The schedule of every message; null for rings, whose ranks are not in step: simulate_rings() of
  /// sim/simgrid/full.hpp runs them.
  Schedule (*schedule)(const Machine&, double size_bytes) = nullptr;
  /// Number of messages of a full run that moves `size_bytes` in `operations` operations, for two ranks and more.
  double (*messages)(const Machine&, double size_bytes, int operations) = nullptr;
  /// Number of programs that one rank of the schedule runs in parallel.
  int programs_per_rank = 1;
  /// For rings, whose schedule is null: how many times a chunk makes n-1 steps round the ring.
  int ring_turns = 2;
  /// For rings: number of messages that a chunk is cut into, of which two are in flight. Null: a chunk is one message,
  /// and the rank waits for it.
  int (*ring_segments)(const Machine&, double size_bytes) = nullptr;
};

#define DDLSIM_COLLECTIVE(operation, algorithm, text) extern const CollectiveAlgorithm algorithm##_##operation;
#include "sim/formats/collectives.def"

/// The collective's row. Throws std::logic_error for an operation that the algorithm does not have.
const CollectiveAlgorithm& collective_algorithm(const CollectiveKind& collective);

/// Time of one collective of `size_bytes` when nothing else uses the links, seconds; 0 for one rank. Formulas of rings
/// take a slow node into account; for other algorithms every NIC counts as slow as the slow node's, which is an upper
/// bound. Throws std::invalid_argument when a link in use has no rate.
double collective_s(const Machine& machine, double size_bytes, const CollectiveKind& collective);
double all_reduce_s(const Machine& machine, double size_bytes, Algorithm algorithm);

// Collectives in which one node, or one leaf, is simulated and stands for all others.

/// Returns one sentence that says why one period of ranks cannot stand for all; nothing where it can. It can for ring
/// and hierarchical ring on full nodes (and full leaves where uplinks are narrower than NICs) without a slow node, and
/// for halving-doubling on one switch with full nodes of 2^a ranks. It never can for a double tree, whose nodes differ
/// in height.
std::optional<std::string> why_no_symmetry(const Machine& machine, const CollectiveKind& collective);

/// Returns one sentence that says why one rank of each class cannot stand for its class, which is nearly exact; nothing
/// where it can: for a double tree on one switch without a slow node.
std::optional<std::string> why_no_classes(const Machine& machine, const CollectiveKind& collective);

/// The steps of the ranks of one period:
///   ring              2(n-1) steps
///   hierarchical      n-1 steps inside a node, the ring over nodes, and the n-1 steps inside again
///   halving-doubling  each step of sim/collective/pair_exchange.hpp once, with a rank's share of the busiest node
/// Empty for one rank. Call `why_no_symmetry` first.
std::vector<PeriodSteps> period_of(const Machine& machine, double size_bytes, const CollectiveKind& collective);

} // namespace ddlsim
