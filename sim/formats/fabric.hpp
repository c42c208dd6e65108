#pragma once
// The network between nodes: "fabric" of a cluster file.

#include "sim/formats/names.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// A level of a fat-tree above its leaves: groups of so many nodes.
struct FabricLevel {
  int nodes = 0;
  double blocking = 1; ///< a group's uplinks carry 1/blocking of what the groups below it send up

  bool operator==(const FabricLevel&) const = default;
};

/// star       every node on one non-blocking switch
/// fat-tree   leaves of nodes_per_leaf nodes, whose uplinks carry 1/blocking of their ports; further levels likewise
/// rails      as many such trees as a node has NICs, of which each holds one NIC of every node; they meet above their
///            leaves
/// torus      a grid of dimensions[0] x dimensions[1] x ... nodes whose ends meet; node n is at n % dimensions[0],
///            (n / dimensions[0]) % dimensions[1], ...; a link each way to each neighbour
/// dragonfly  groups of switches, with nodes on every switch; a link between any two switches of a group, and
///            links_between_groups together between any two groups, on switch j of group i and i of j
struct Fabric {
  FabricKind kind = FabricKind::star;
  int nodes_per_leaf = 0;                  ///< fat-tree and rails only
  double blocking = 1;                     ///< 1.5 means 1:1.5
  double hop_latency_s = 0;                ///< one switch
  std::vector<FabricLevel> upper_levels{}; ///< fat-tree and rails only, from the leaves up
  std::vector<int> dimensions{};           ///< torus only: nodes along each
  int groups = 0;                          ///< dragonfly only
  int switches_per_group = 0;
  int nodes_per_switch = 0;
  int links_between_groups = 1;
  double link_bandwidth_Bps = 0;       ///< torus and dragonfly: one link, one direction, line rate
  Routing routing = Routing::adaptive; ///< fat-tree and rails only
  bool sharp = false; ///< its switches sum (NVIDIA SHARP), and NCCL has its plug-in; star, fat-tree and rails

  bool operator==(const Fabric&) const = default;
};

/// A fat-tree, or several beside each other.
bool is_tree(const Fabric& fabric);

/// Leaves of a tree, then its levels above.
std::vector<FabricLevel> levels_of(const Fabric& fabric);

/// Cables that leave a group of each level upwards, each as wide as all NICs of a node that the tree holds: 16 of 24
/// nodes at 1:1.5. Whole numbers where the routing is static.
std::vector<double> uplink_cables(const Fabric& fabric);

/// Nodes that a torus or dragonfly has; 0 for fabrics that grow with their nodes.
int nodes_of_fabric(const Fabric& fabric);

/// In words, with all that decides how long messages take: "fat-tree of 24 nodes a leaf, 1:1.5, 1e-07 s a hop".
std::string describe(const Fabric& fabric);

} // namespace ddlsim
