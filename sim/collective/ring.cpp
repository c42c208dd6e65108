#include "sim/collective/ring.hpp"

#include "sim/collective/collective.hpp"
#include "sim/collective/fabric_load.hpp"
#include "sim/network/machine.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <limits>
#include <set>
#include <stdexcept>
#include <vector>

namespace ddlsim {
namespace {

/// How long one chunk occupies an edge, and how long the edge delays it.
struct Passage {
  double busy_s = 0;
  double latency_s = 0;
};

/// A position at which a run of edges may start; `before_s` is the time of all edges before it.
struct RunStart {
  std::size_t position = 0;
  double before_s = 0;
};

/// The passages of the first `edges` edges. Those inside nodes are equal.
std::vector<Passage> passages_of(const Machine& machine, int edges, double chunk_bytes) {
  std::vector<Passage> passages;
  passages.reserve(static_cast<std::size_t>(edges));
  int inside = -1; // place of an edge inside a node
  for (int rank = 0; rank < edges; ++rank) {
    const bool stays = machine.node_of(rank) == machine.node_of((rank + 1) % machine.ranks);
    if (stays && inside >= 0) {
      passages.push_back(passages[static_cast<std::size_t>(inside)]);
      continue;
    }
    if (stays) inside = rank;
    const PeriodEdge edge = ring_edge(machine, rank);
    passages.push_back({chunk_bytes / edge.rate_Bps(), edge.latency_s});
  }
  return passages;
}

/// Adds a start and keeps the cheapest one at the front. A later start that is cheaper makes the earlier ones useless.
void offer(std::deque<RunStart>& starts, const RunStart& start) {
  while (!starts.empty() && starts.back().before_s >= start.before_s) {
    starts.pop_back();
  }
  starts.push_back(start);
}

/// The slowest path whose slowest edge is busy exactly `slowest_s` with a chunk: formula 4 of ring.hpp for the runs
/// that have such an edge and none slower. Runs are shorter than two turns, so three turns of positions hold each of
/// them.
double slowest_path_s(const std::vector<Passage>& passages, std::size_t steps, double slowest_s) {
  std::deque<RunStart> starts;
  std::vector<RunStart> waiting; // starts that have not yet met an edge of slowest_s
  double total_s = 0;
  double best_s = -std::numeric_limits<double>::infinity();
  for (std::size_t position = 0; position < 3 * passages.size(); ++position) {
    const Passage& edge = passages[position % passages.size()];
    if (edge.busy_s > slowest_s) {
      starts.clear();
      waiting.clear();
      continue;
    }
    waiting.push_back({position, total_s});
    total_s += edge.busy_s + edge.latency_s - slowest_s;
    if (edge.busy_s == slowest_s) {
      for (const RunStart& start : waiting) {
        offer(starts, start);
      }
      waiting.clear();
    }
    while (!starts.empty() && starts.front().position + steps <= position) {
      starts.pop_front();
    }
    if (!starts.empty()) best_s = std::max(best_s, total_s - starts.front().before_s);
  }
  return static_cast<double>(steps) * slowest_s + best_s;
}

/// Formula 4 of ring.hpp on a ring that repeats itself after passages.size() edges. A run has some whole turns of the
/// period and a shorter rest. The sum is linear in the number of turns, so the longest run has no turn or as many as
/// fit.
double slowest_periodic_path_s(const std::vector<Passage>& period, std::size_t steps) {
  const std::size_t edges = period.size();
  const std::size_t most_turns = steps / edges;
  const std::size_t beside_turns = steps % edges;
  double turn_s = 0;
  double widest_s = 0;
  for (const Passage& edge : period) {
    turn_s += edge.busy_s + edge.latency_s;
    widest_s = std::max(widest_s, edge.busy_s);
  }
  double best_s = 0;
  for (std::size_t first = 0; first < edges; ++first) {
    double run_s = 0;
    double slowest_s = 0;
    std::size_t next = first;
    for (std::size_t length = 0; length <= std::min(steps, edges); ++length) {
      const auto rest = static_cast<double>(steps - length);
      if (length > 0) best_s = std::max(best_s, run_s + rest * slowest_s);
      const std::size_t turns = most_turns - (length > beside_turns ? 1 : 0);
      if (turns > 0) {
        best_s = std::max(best_s, run_s + static_cast<double>(turns) * turn_s +
                                      static_cast<double>(steps - length - turns * edges) * widest_s);
      }
      const Passage& edge = period[next];
      if (++next == edges) next = 0;
      run_s += edge.busy_s + edge.latency_s;
      slowest_s = std::max(slowest_s, edge.busy_s);
    }
  }
  return best_s;
}

} // namespace

std::vector<PeriodEdge> ring_period_edges(const Machine& machine) {
  std::vector<PeriodEdge> edges;
  for (int rank = 0; rank < ring_period(machine); ++rank) edges.push_back(ring_edge(machine, rank));
  return edges;
}

int ring_period(const Machine& machine) {
  if (machine.ranks % machine.ranks_per_node != 0 || machine.slow_nic_factor != 1) return machine.ranks;
  const bool one_switch = machine.nodes_per_leaf == 0 || machine.nodes() <= machine.nodes_per_leaf;
  if (one_switch || machine.uplink_Bps >= machine.nic_Bps) return machine.ranks_per_node;
  return machine.nodes() % machine.nodes_per_leaf == 0 ? machine.ranks_per_node * machine.nodes_per_leaf
                                                       : machine.ranks;
}

PeriodEdge ring_edge(const Machine& machine, int rank) {
  const int from = machine.node_of(rank);
  const int to = machine.node_of((rank + 1) % machine.ranks);
  const bool leaves = machine.nodes_per_leaf > 0 && from / machine.nodes_per_leaf != to / machine.nodes_per_leaf;
  PeriodEdge edge{{{"intra", machine.intra_Bps}}, machine.intra_latency_s};
  if (from != to) edge = {{{"nic-out", machine.nic_Bps_of(from)}}, machine.net_latency_s};
  if (leaves) edge.links.insert(edge.links.end(), {{"leaf-up", machine.uplink_Bps}, {"leaf-down", machine.uplink_Bps}});
  if (from != to) edge.links.push_back({"nic-in", machine.nic_Bps_of(to)});
  if (!(edge.rate_Bps() > 0)) throw std::invalid_argument("ring: the rate of an edge in use is not above zero");
  return edge;
}

double ring_all_reduce_s(const Machine& machine, double size_bytes) {
  return ring_steps_s(machine, size_bytes, 2 * (machine.ranks - 1));
}

double ring_steps_s(const Machine& machine, double size_bytes, int whole_steps) {
  if (machine.ranks <= 1) return 0;
  const int period = ring_period(machine);
  const std::vector<Passage> passages = passages_of(machine, period, size_bytes / machine.ranks);
  const auto steps = static_cast<std::size_t>(whole_steps);
  if (period < machine.ranks) return slowest_periodic_path_s(passages, steps);
  std::set<double> levels_s; // a few values: inside a node, between nodes, between leaves, to or from a slow node
  for (const Passage& passage : passages) {
    levels_s.insert(passage.busy_s);
  }
  double slowest_s = 0;
  for (const double level_s : levels_s) {
    slowest_s = std::max(slowest_s, slowest_path_s(passages, steps, level_s));
  }
  return slowest_s;
}

std::optional<std::string> why_ring_has_no_symmetry(const Machine& machine) {
  if (machine.ranks <= 1) return std::nullopt;
  if (has_slow_node(machine)) return "a slow node delays the ranks behind it one after another";
  if (machine.nodes() > 1 && machine.ranks % machine.ranks_per_node != 0)
    return "the last node is short, so every rank is another distance from it";
  if (machine.nodes() > 1 && ring_period(machine) == machine.ranks && has_leaves(machine) &&
      machine.nodes() % machine.nodes_per_leaf != 0)
    return "the last leaf is short, so every node is another distance from it";
  return std::nullopt;
}

namespace {

/// The ring as `turns` turns of n-1 steps with S/n bytes each, so that `turns` (n-1)/n S bytes pass a NIC in one
/// direction. An all-reduce takes two turns; a reduce-scatter and an all-gather take one. S is the whole vector, as in
/// nccl-tests, and adding takes no time.
template <int turns> constexpr CollectiveAlgorithm ring_row() {
  return {
      .time_s = [](const Machine& machine,
                   double size_bytes) { return ring_steps_s(machine, size_bytes, turns * (machine.ranks - 1)); },
      .follows_ranks = true,
      // tests/simgrid/full_ring_test.cpp and ring_operations_test.cpp check this
      .is_exact = [](const Machine&) { return true; },
      .between_nodes =
          {
              .pattern = TrafficPattern::ring,
              .nic_bytes =
                  [](const Machine& machine, double wire_bytes) {
                    const double ranks = machine.ranks;
                    return turns * (ranks - 1) / ranks * wire_bytes;
                  },
              .rounds = [](const Machine& machine, double) { return turns * (machine.ranks - 1); },
              .passes_every_gpu = true,
          },
      .why_no_symmetry = why_ring_has_no_symmetry,
      .period =
          [](const Machine& machine, double size_bytes) {
            return std::vector<PeriodSteps>{
                {ring_period_edges(machine), size_bytes / machine.ranks, turns * (machine.ranks - 1)}};
          },
      .schedule = nullptr,
      .messages =
          [](const Machine& machine, double, int operations) {
            const double ranks = machine.ranks;
            return turns * (ranks - 1) * ranks * operations;
          },
      .ring_turns = turns,
  };
}

} // namespace

const CollectiveAlgorithm ring_all_reduce = ring_row<2>();
const CollectiveAlgorithm ring_reduce_scatter = ring_row<1>();
const CollectiveAlgorithm ring_all_gather = ring_row<1>();

} // namespace ddlsim
