#include "sim/collective/fabric_load.hpp"

#include "sim/collective/tree.hpp"
#include "sim/network/nic_rate.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace ddlsim {
namespace {

double at_least_one(double load) {
  return std::max(1.0, load);
}

double tree_load(const PlacedFabric& placed, int nodes) {
  constexpr double half = 0.5; // share of the bytes that each edge of a tree carries in each direction
  std::vector<NodeMessage> messages;
  for (const int tree : {0, 1}) {
    const auto parents = tree_parents(nodes, tree);
    for (int node = 0; node < nodes; ++node) {
      const int parent = parents[static_cast<std::size_t>(node)];
      if (parent < 0) continue;
      messages.push_back({node, parent, half});
      messages.push_back({parent, node, half});
    }
  }
  const double nic_sends = nodes == 2 ? 1 : 2; // bytes that a NIC sends for each byte of the message
  return at_least_one(busiest_link(placed, messages) / nic_sends);
}

/// Mean load over the distances 1, 2, 4, ...; each distance sends `ratio` times the bytes of the one before.
double doubling_load(const PlacedFabric& placed, int nodes, double ratio) {
  double sent = 0;
  double busy = 0;
  double weight = 1;
  for (int distance = 1; 2 * distance <= nodes; distance *= 2, weight *= ratio) {
    std::vector<NodeMessage> messages;
    for (int node = 0; node < nodes; ++node)
      if ((node ^ distance) < nodes) messages.push_back({node, node ^ distance, 1});
    sent += weight;
    busy += weight * at_least_one(busiest_link(placed, messages));
  }
  return sent > 0 ? busy / sent : 1;
}

double all_to_all_load(const PlacedFabric& placed, int nodes) {
  constexpr int most_distances = 128;
  const int distances = std::min(nodes - 1, most_distances);
  std::vector<NodeMessage> messages;
  for (int i = 0; i < distances; ++i) {
    const int distance = 1 + static_cast<int>(static_cast<long>(i) * (nodes - 1) / distances);
    for (int node = 0; node < nodes; ++node) messages.push_back({node, (node + distance) % nodes, 1.0 / distances});
  }
  return at_least_one(busiest_link(placed, messages));
}

double in_order_load(const PlacedFabric& placed, int nodes) {
  const auto order = nodes_in_order(placed.places, nodes);
  std::vector<NodeMessage> messages;
  for (std::size_t i = 0; i < order.size(); ++i) messages.push_back({order[i], order[(i + 1) % order.size()], 1});
  return at_least_one(busiest_link(placed, messages));
}

double mean_hops(const PlacedFabric& placed, int nodes) {
  double hops = 0;
  for (const auto& [link, load] : link_loads(placed, ring_messages(nodes))) hops += load;
  return at_least_one(hops / nodes);
}

Machine with_nics_slowed(Machine machine, double load) {
  machine.fabric = nullptr;
  machine.nic_Bps = nic_rate_Bps(machine.nic_Bps, {.sharers = load});
  return machine;
}

} // namespace

std::vector<int> nodes_in_order(const std::vector<int>& places, int nodes) {
  std::vector<int> order(static_cast<std::size_t>(nodes));
  std::iota(order.begin(), order.end(), 0);
  if (!places.empty())
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return places[static_cast<std::size_t>(a)] < places[static_cast<std::size_t>(b)]; });
  return order;
}

std::vector<NodeMessage> ring_messages(int nodes) {
  std::vector<NodeMessage> messages;
  for (int node = 0; nodes > 1 && node < nodes; ++node) messages.push_back({node, (node + 1) % nodes, 1});
  return messages;
}

FabricLoad fabric_load(const PlacedFabric& placed, int nodes) {
  if (nodes < 2) return {};
  FabricLoad load;
  load.ring = at_least_one(busiest_link(placed, ring_messages(nodes)));
  load.tree = tree_load(placed, nodes);
  load.halving_doubling = doubling_load(placed, nodes, 0.5);
  load.recursive_doubling = doubling_load(placed, nodes, 1);
  load.all_to_all = all_to_all_load(placed, nodes);
  load.in_order = in_order_load(placed, nodes);
  load.hops = mean_hops(placed, nodes);
  return load;
}

Machine on_one_switch(const Machine& machine, TrafficPattern pattern) {
  return machine.fabric ? with_nics_slowed(machine, load_of(machine.fabric->load, pattern)) : machine;
}

double nic_bytes_of_ring_over_nodes(const Machine& machine, double wire_bytes) {
  const double nodes = machine.nodes();
  return 2 * (nodes - 1) / nodes * wire_bytes;
}

} // namespace ddlsim
