#include "sim/collective/reduced.hpp"

#include "sim/collective/links_in_use.hpp"
#include "sim/collective/ring.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace ddlsim {
namespace {

bool is_power_of_two(int count) {
  return std::has_single_bit(static_cast<unsigned>(count));
}

bool has_slow_node(const Machine& machine) {
  return machine.nodes() > 1 && machine.slow_nic_factor != 1;
}

/// The nodes as the ranks of a ring of their own.
Machine across_nodes(const Machine& machine) {
  Machine across = machine;
  across.ranks = machine.nodes();
  across.ranks_per_node = 1;
  return across;
}

Machine inside_node(const Machine& machine) {
  Machine inside = machine;
  inside.ranks = ranks_of_full_node(machine);
  inside.ranks_per_node = inside.ranks;
  return inside;
}

std::optional<std::string> why_ring_not_reduced(const Machine& machine) {
  if (machine.ranks <= 1) return std::nullopt;
  if (has_slow_node(machine)) return "a slow node delays the ranks behind it one after another";
  if (machine.nodes() > 1 && machine.ranks % machine.ranks_per_node != 0)
    return "the last node is short, so every rank is another distance from it";
  if (machine.nodes() > 1 && ring_period(machine) == machine.ranks && has_leaves(machine) &&
      machine.nodes() % machine.nodes_per_leaf != 0)
    return "the last leaf is short, so every node is another distance from it";
  return std::nullopt;
}

std::optional<std::string> why_halving_doubling_not_reduced(const Machine& machine) {
  if (has_slow_node(machine)) return "a slow node delays its partners, and they theirs";
  if (!is_power_of_two(machine.ranks))
    return "the ranks are no power of two: some first give their vector to a neighbour";
  if (!is_power_of_two(ranks_of_full_node(machine))) return "ranks of a node are no power of two";
  if (has_leaves(machine)) return "pairs across leaves share the uplinks, pairs inside do not";
  return std::nullopt;
}

/// Every edge of the period, one chunk after another; after the last edge comes, by symmetry, the first.
double reduced_ring_s(const Machine& machine, double size_bytes) {
  if (machine.ranks <= 1) return 0;
  const auto period = static_cast<std::size_t>(ring_period(machine));
  std::vector<double> busy_s(period);
  std::vector<double> latency_s(period);
  for (std::size_t rank = 0; rank < period; ++rank) {
    const RingEdge edge = ring_edge(machine, static_cast<int>(rank));
    busy_s[rank] = size_bytes / machine.ranks / edge.rate_Bps;
    latency_s[rank] = edge.latency_s;
  }
  std::vector<double> have_s(period, 0.0);
  std::vector<double> free_s(period, 0.0);
  for (int step = 0; step < 2 * (machine.ranks - 1); ++step) {
    for (std::size_t rank = 0; rank < period; ++rank) {
      free_s[rank] = std::max(have_s[rank], free_s[rank]) + busy_s[rank];
    }
    for (std::size_t rank = 0; rank < period; ++rank) {
      have_s[(rank + 1) % period] = free_s[rank] + latency_s[rank];
    }
  }
  return *std::max_element(have_s.begin(), have_s.end());
}

/// All ranks are alike: in each step all ranks of a node stay inside it, or all leave it through its NIC.
double reduced_halving_doubling_s(const Machine& machine, double size_bytes) {
  const int per_node = ranks_of_full_node(machine);
  double time_s = 0;
  for (int distance = 1; distance < machine.ranks; distance *= 2) {
    const double message_bytes = size_bytes / (2.0 * distance);
    const double step_s = distance < per_node ? machine.intra_latency_s + message_bytes / machine.intra_Bps
                                              : machine.net_latency_s + per_node * message_bytes / machine.nic_Bps;
    time_s += 2 * step_s; // once halving, once doubling
  }
  return time_s;
}

} // namespace

std::optional<std::string> why_not_reduced(const Machine& machine, Algorithm algorithm) {
  switch (algorithm) {
  case Algorithm::ring:
    return why_ring_not_reduced(machine);
  case Algorithm::hierarchical_ring:
    return why_ring_not_reduced(across_nodes(machine));
  case Algorithm::halving_doubling:
    return why_halving_doubling_not_reduced(machine);
  case Algorithm::tree:
    if (machine.ranks <= 1) return std::nullopt;
    return "every node of a double tree has another height in each of the two";
  }
  throw std::logic_error("an algorithm without a reduced form");
}

double reduced_all_reduce_s(const Machine& machine, double size_bytes, Algorithm algorithm) {
  require_rates(machine);
  switch (algorithm) {
  case Algorithm::ring:
    return reduced_ring_s(machine, size_bytes);
  case Algorithm::hierarchical_ring:
    return reduced_ring_s(inside_node(machine), size_bytes) + reduced_ring_s(across_nodes(machine), size_bytes);
  case Algorithm::halving_doubling:
    return reduced_halving_doubling_s(machine, size_bytes);
  case Algorithm::tree:
    return 0; // one rank: nothing else may be reduced
  }
  throw std::logic_error("an algorithm without a reduced form");
}

} // namespace ddlsim
