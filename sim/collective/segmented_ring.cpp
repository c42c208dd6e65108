#include "sim/collective/segmented_ring.hpp"

#include "sim/collective/collective.hpp"
#include "sim/collective/fabric_load.hpp"
#include "sim/collective/ring.hpp"
#include "sim/network/machine.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace ddlsim {
namespace {

constexpr int halves = 2; // the reduce-scatter and the all-gather

/// How long one segment occupies an edge, and how long the edge delays it.
struct Crossing {
  double busy_s = 0;
  double latency_s = 0;
};

/// The largest number of ranks for which every edge of a ring without a period is examined; that takes 0.3 ms.
constexpr int most_ranks_of_all = 256;

/// Returns the machine with short nodes and leaves filled up, where it has too many edges to examine each of them.
Machine with_full_nodes(Machine machine) {
  int unit = machine.ranks_per_node;
  if (machine.nodes() == 1 || machine.ranks <= most_ranks_of_all) return machine;
  if (has_leaves(machine)) unit *= machine.nodes_per_leaf;
  machine.ranks = (machine.ranks + unit - 1) / unit * unit;
  return machine;
}

std::vector<Crossing> crossings_of(const Machine& machine, double segment_bytes) {
  std::vector<Crossing> crossings;
  for (const PeriodEdge& edge : ring_period_edges(machine))
    crossings.push_back({segment_bytes / edge.rate_Bps(), edge.latency_s});
  return crossings;
}

/// H of segmented_ring.hpp, the largest of the runs that begin at `first` and go on in that direction. All whole turns
/// of the period add the same time. So the longest run has no turn, one turn (after which it includes the slowest
/// edge), or as many as fit.
double longest_run_s(const std::vector<Crossing>& crossings, std::size_t first, bool forward, int messages) {
  const auto edges = static_cast<int>(crossings.size());
  const int most = (messages + 1) / segments_in_flight;
  double turn_s = 0;
  double slowest_of_all_s = 0;
  for (const Crossing& edge : crossings) {
    turn_s += edge.busy_s + edge.latency_s;
    slowest_of_all_s = std::max(slowest_of_all_s, edge.busy_s);
  }
  double best_s = 0;
  double run_s = 0;
  double slowest_s = 0;
  std::size_t place = first;
  for (int length = 1; length <= std::min(most, edges); ++length) {
    run_s += crossings[place].busy_s + crossings[place].latency_s;
    slowest_s = std::max(slowest_s, crossings[place].busy_s);
    best_s = std::max(best_s, run_s + (messages + 1 - segments_in_flight * length) * slowest_s);
    const int turns_that_fit = (most - length) / edges;
    for (const int turns : {1, turns_that_fit}) {
      const int waits = messages + 1 - segments_in_flight * (length + turns * edges);
      if (turns <= turns_that_fit && turns > 0)
        best_s = std::max(best_s, run_s + turns * turn_s + waits * slowest_of_all_s);
    }
    place = (place + (forward ? 1 : crossings.size() - 1)) % crossings.size();
  }
  return best_s;
}

int messages_of_phase(const Machine& machine, double size_bytes) {
  return segments_of_chunk(machine, size_bytes) * (machine.ranks - 1);
}

double segment_bytes(const Machine& machine, double size_bytes) {
  return size_bytes / machine.ranks / segments_of_chunk(machine, size_bytes);
}

} // namespace

int segments_of_chunk(const Machine& machine, double size_bytes) {
  constexpr double largest_bytes = 1048576;
  const double segments = std::ceil(std::ceil(size_bytes / largest_bytes) / machine.ranks);
  return std::max(segments_in_flight, static_cast<int>(segments));
}

double segmented_ring_all_reduce_s(const Machine& machine, double size_bytes) {
  require_rates(machine);
  if (machine.ranks <= 1) return 0;
  const auto crossings = crossings_of(with_full_nodes(machine), segment_bytes(machine, size_bytes));
  const int messages = messages_of_phase(machine, size_bytes);
  std::vector<double> ends_s;
  std::vector<double> begins_s;
  for (std::size_t edge = 0; edge < crossings.size(); ++edge) {
    ends_s.push_back(longest_run_s(crossings, edge, false, messages));
    begins_s.push_back(longest_run_s(crossings, edge, true, messages));
  }
  double best_s = 0;
  for (std::size_t edge = 0; edge < crossings.size(); ++edge) {
    const double next_s = begins_s[(edge + 1) % crossings.size()];
    best_s = std::max({best_s, ends_s[edge] + next_s, ends_s[edge] + begins_s[edge] - crossings[edge].latency_s});
  }
  return best_s;
}

namespace {

bool knows_all_edges(const Machine& machine) {
  return !has_slow_node(machine) && with_full_nodes(machine).ranks == machine.ranks;
}

} // namespace

const CollectiveAlgorithm segmented_ring_all_reduce{
    .time_s = segmented_ring_all_reduce_s,
    .follows_ranks = false,
    .is_exact = knows_all_edges, // tests/simgrid/segmented_ring_test.cpp checks this
    .between_nodes =
        {
            .pattern = TrafficPattern::ring,
            .nic_bytes = [](const Machine& machine,
                            double wire_bytes) { return ring_all_reduce.between_nodes.nic_bytes(machine, wire_bytes); },
            .rounds = [](const Machine& machine,
                         double wire_bytes) { return halves * messages_of_phase(machine, wire_bytes); },
            .passes_every_gpu = true,
        },
    .why_no_symmetry = why_ring_has_no_symmetry,
    .period =
        [](const Machine& machine, double size_bytes) {
          return std::vector<PeriodSteps>{{ring_period_edges(machine), segment_bytes(machine, size_bytes),
                                           messages_of_phase(machine, size_bytes), segments_in_flight, halves}};
        },
    .schedule = nullptr,
    .messages =
        [](const Machine& machine, double size_bytes, int operations) {
          const double of_phase = messages_of_phase(machine, size_bytes / operations);
          return halves * of_phase * machine.ranks * operations;
        },
    .ring_turns = halves,
    .ring_segments = segments_of_chunk,
};

} // namespace ddlsim
