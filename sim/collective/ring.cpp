#include "sim/collective/ring.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <limits>
#include <set>
#include <stdexcept>
#include <vector>

namespace ddlsim {
namespace {

/// One edge for one chunk.
struct Passage {
  double busy_s = 0;
  double latency_s = 0;
};

/// A run of edges may start here; `before_s` is what all edges before it cost.
struct RunStart {
  std::size_t position = 0;
  double before_s = 0;
};

std::vector<Passage> passages_of(const Machine& machine, double chunk_bytes) {
  std::vector<Passage> passages(static_cast<std::size_t>(machine.ranks));
  for (int rank = 0; rank < machine.ranks; ++rank) {
    const RingEdge edge = ring_edge(machine, rank);
    passages[static_cast<std::size_t>(rank)] = {chunk_bytes / edge.rate_Bps, edge.latency_s};
  }
  return passages;
}

/// Keeps the cheapest start at the front: a later start that is cheaper makes the earlier ones useless.
void offer(std::deque<RunStart>& starts, const RunStart& start) {
  while (!starts.empty() && starts.back().before_s >= start.before_s) {
    starts.pop_back();
  }
  starts.push_back(start);
}

/// The slowest path whose slowest edge is busy exactly `slowest_s` per chunk: formula 4 for the runs that have such an
/// edge and none slower. Runs are shorter than two turns, so three turns of positions hold each of them.
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

} // namespace

RingEdge ring_edge(const Machine& machine, int rank) {
  const int from = machine.node_of(rank);
  const int to = machine.node_of((rank + 1) % machine.ranks);
  const bool leaves = machine.nodes_per_leaf > 0 && from / machine.nodes_per_leaf != to / machine.nodes_per_leaf;
  RingEdge edge{machine.intra_Bps, machine.intra_latency_s};
  if (from != to)
    edge = {leaves ? std::min(machine.nic_Bps, machine.uplink_Bps) : machine.nic_Bps, machine.net_latency_s};
  if (!(edge.rate_Bps > 0)) throw std::invalid_argument("ring: the rate of an edge in use is not above zero");
  return edge;
}

double ring_all_reduce_s(const Machine& machine, double size_bytes) {
  if (machine.ranks <= 1) return 0;
  const std::vector<Passage> passages = passages_of(machine, size_bytes / machine.ranks);
  std::set<double> levels_s; // at most three: inside a node, between nodes, between leaves
  for (const Passage& passage : passages) {
    levels_s.insert(passage.busy_s);
  }
  const std::size_t steps = 2 * (passages.size() - 1);
  double slowest_s = 0;
  for (const double level_s : levels_s) {
    slowest_s = std::max(slowest_s, slowest_path_s(passages, steps, level_s));
  }
  return slowest_s;
}

} // namespace ddlsim
