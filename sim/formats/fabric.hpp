#pragma once
// The network between nodes: "fabric" of a cluster file.

#include "sim/formats/names.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// A level of a fat-tree above its leaves. It joins groups of `nodes` nodes.
struct FabricLevel {
  int nodes = 0;
  double blocking = 1; ///< the uplinks of a group carry 1/blocking of what its members can send up

  bool operator==(const FabricLevel&) const = default;
};

/// star       every node on one non-blocking switch
/// fat-tree   leaves of nodes_per_leaf nodes, whose uplinks carry 1/blocking of their ports; further levels likewise
/// rails      as many such trees as a node has NICs; each tree holds one NIC of every node, and the trees are joined
///            above their leaves
/// torus      a grid of dimensions[0] x dimensions[1] x ... nodes whose ends meet; node n is at n % dimensions[0],
///            (n / dimensions[0]) % dimensions[1], ...; one link in each direction to each neighbour
/// dragonfly  groups of switches, with nodes on every switch; one link between any two switches of a group, and
///            links_between_groups in all between groups i and j, at switch j of group i and switch i of group j
struct Fabric {
  FabricKind kind = FabricKind::star;
  int nodes_per_leaf = 0;                  ///< fat-tree and rails only
  double blocking = 1;                     ///< blocking factor of the leaves: 1.5 means 1:1.5
  double hop_latency_s = 0;                ///< latency of one switch
  std::vector<FabricLevel> upper_levels{}; ///< fat-tree and rails only, from the leaves up
  std::vector<int> dimensions{};           ///< torus only: number of nodes along each dimension
  int groups = 0;                          ///< dragonfly only
  int switches_per_group = 0;
  int nodes_per_switch = 0;
  int links_between_groups = 1;
  double link_bandwidth_Bps = 0;       ///< torus and dragonfly: one link, one direction, line rate
  Routing routing = Routing::adaptive; ///< fat-tree and rails only
  /// whether its switches can sum data (NVIDIA SHARP) and NCCL has the plug-in; star, fat-tree and rails
  bool sharp = false;

  bool operator==(const Fabric&) const = default;
};

/// Returns whether the fabric is a fat-tree or a set of parallel ones (rails).
bool is_tree(const Fabric& fabric);

/// Returns the leaves of a tree as a level, followed by the levels above.
std::vector<FabricLevel> levels_of(const Fabric& fabric);

/// Returns the number of cables that leave a group of each level upwards. A cable is as wide as the NICs that a node
/// has in the tree: 16 cables for 24 nodes at 1:1.5. The numbers are whole when routing is static.
std::vector<double> uplink_cables(const Fabric& fabric);

/// Returns the number of nodes of a torus or dragonfly; 0 for fabrics that grow with their nodes.
int nodes_of_fabric(const Fabric& fabric);

/// Returns a description of everything that affects message times: "fat-tree of 24 nodes a leaf, 1:1.5, 1e-07 s a hop".
std::string describe(const Fabric& fabric);

} // namespace ddlsim
