#pragma once
// Fabrics for tests.

#include "sim/collective/fabric_load.hpp"
#include "tests/collective/machines.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

namespace ddlsim {

inline Fabric fat_tree(int nodes_per_leaf, double blocking, std::vector<FabricLevel> upper_levels = {}) {
  Fabric fabric;
  fabric.kind = FabricKind::fat_tree;
  fabric.nodes_per_leaf = nodes_per_leaf;
  fabric.blocking = blocking;
  fabric.upper_levels = std::move(upper_levels);
  return fabric;
}

inline Fabric with_static_routes(Fabric tree) {
  tree.routing = Routing::fixed;
  return tree;
}

/// Rails that messages change: what MPI and servers see.
inline Fabric changing_rails(int nodes_per_leaf, double blocking, std::vector<FabricLevel> upper_levels = {}) {
  Fabric rails = fat_tree(nodes_per_leaf, blocking, std::move(upper_levels));
  rails.kind = FabricKind::rails;
  return rails;
}

inline Fabric torus(std::vector<int> dimensions, double link_Bps) {
  Fabric fabric;
  fabric.kind = FabricKind::torus;
  fabric.dimensions = std::move(dimensions);
  fabric.link_bandwidth_Bps = link_Bps;
  return fabric;
}

inline Fabric dragonfly(int groups, int switches, int nodes, double link_Bps, int links_between_groups = 1) {
  Fabric fabric;
  fabric.kind = FabricKind::dragonfly;
  fabric.groups = groups;
  fabric.switches_per_group = switches;
  fabric.nodes_per_switch = nodes;
  fabric.links_between_groups = links_between_groups;
  fabric.link_bandwidth_Bps = link_Bps;
  return fabric;
}

/// The nodes of `machine` on the fabric, whose NICs have the machine's rate as line rate.
inline Machine placed_on(Machine machine, const Fabric& fabric, const NodePlacement& placement, int fabric_nodes) {
  PlacedFabric placed{fabric, machine.nic_Bps, 0, {}, {}};
  placed.places = places_of(fabric, placement, fabric_nodes, 0, machine.nodes());
  placed.load = fabric_load(placed, machine.nodes());
  machine.nodes_per_leaf = 0;
  machine.fabric = std::make_shared<const PlacedFabric>(std::move(placed));
  return machine;
}

/// Any placement of so many nodes on a fabric with that room.
inline NodePlacement random_placement(int nodes, int room, std::mt19937_64& random) {
  NodePlacement placement{values_of<NodeOrder>()[random() % 3], {}};
  if (placement.order != NodeOrder::listed) return placement;
  std::vector<int> all;
  for (int node = 0; node < room; ++node) all.push_back(node);
  std::shuffle(all.begin(), all.end(), random);
  placement.nodes.assign(all.begin(), all.begin() + nodes);
  return placement;
}

/// A fat-tree of one or two levels with whole cables, whose routes are static.
inline Machine on_random_static_tree(const Machine& machine, std::mt19937_64& random) {
  const auto below = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  const int cables = 1 + below(4);
  const int blocking = 1 + below(3);
  Fabric tree = with_static_routes(fat_tree(cables * blocking, blocking));
  if (below(2) == 0) {
    const int leaves = 2 + below(3);
    tree.upper_levels = {{leaves * tree.nodes_per_leaf, 1.0 * leaves / (1 + below(leaves))}};
  }
  const int room = machine.nodes() + below(40);
  return placed_on(machine, tree, random_placement(machine.nodes(), room, random), room);
}

/// Any fabric with room for as many nodes as the machine has, in any placement.
inline Machine on_random_fabric(const Machine& machine, std::mt19937_64& random) {
  const auto below = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  const double link_Bps = machine.nic_Bps * log_uniform(random, 0.2, 3);
  const int nodes = machine.nodes();
  Fabric fabric = fat_tree(1 + below(8), uniform(random, 1, 4));
  if (below(2) == 0) fabric.upper_levels = {{fabric.nodes_per_leaf * (2 + below(3)), uniform(random, 1, 3)}};
  const int kind = below(3);
  if (kind == 1) fabric = torus({2 + below(6), 1 + below(6), nodes}, link_Bps);
  if (kind == 2) {
    const int groups = 1 + below(5);
    fabric = dragonfly(groups, groups + below(4), nodes, link_Bps, 1 + below(3));
  }
  const int room = kind == 0 ? nodes + below(40) : nodes_of_fabric(fabric);
  NodePlacement placement{values_of<NodeOrder>()[static_cast<std::size_t>(below(3))], {}};
  if (placement.order == NodeOrder::listed) {
    std::vector<int> all;
    for (int node = 0; node < room; ++node) all.push_back(node);
    std::shuffle(all.begin(), all.end(), random);
    placement.nodes.assign(all.begin(), all.begin() + nodes);
  }
  return placed_on(machine, fabric, placement, room);
}

} // namespace ddlsim
