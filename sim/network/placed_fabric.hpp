#pragma once
// The links between switches of a fabric, and where a job's nodes stand on it.

#include "sim/formats/fabric.hpp"
#include "sim/formats/neighbour.hpp"

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace ddlsim {

/// Who sends to whom between nodes at the same time: see fabric_load() of sim/collective/fabric_load.hpp.
enum class TrafficPattern { ring, double_tree, halving_doubling, recursive_doubling, all_to_all, in_order };

/// How many times as long the busiest link between switches is busy as a NIC is, by what is sent; 1: no link holds
/// anything up. `hops`: links on the way of a ring's message from node to node, in the mean.
struct FabricLoad {
  double ring = 1;
  double tree = 1;
  double halving_doubling = 1;
  double recursive_doubling = 1;
  double all_to_all = 1;
  double in_order = 1; ///< each node to the next place
  double hops = 1;

  bool operator==(const FabricLoad&) const = default;
};

double load_of(const FabricLoad& load, TrafficPattern pattern);

/// A fabric whose links between switches have to be followed one by one.
struct PlacedFabric {
  Fabric fabric;
  double nic_line_Bps = 0;   ///< of a node, all its ports: rates of links are relative to it
  double background = 0;     ///< share of each link that other traffic takes
  std::vector<int> places{}; ///< of each node of the job, then of hosts for servers: its number on the fabric
  FabricLoad load{};         ///< of the job's nodes, see sim/collective/fabric_load.hpp

  bool operator==(const PlacedFabric&) const = default;
};

/// Whether messages of such a job meet links that a Machine does not know by itself: a torus, a dragonfly, rails that
/// messages change, a fat-tree of several levels or with static routes, a fat-tree whose leaves the job does not fill
/// one after another.
bool needs_links(const Fabric& fabric, const NodePlacement& placement);

/// Where the `count` nodes of a job are, `taken` nodes being in front of them in that order. Throws UserError when a
/// list is too short, or names a node that the fabric, of `fabric_nodes` nodes, does not have.
std::vector<int> places_of(const Fabric& fabric, const NodePlacement& placement, int fabric_nodes, int taken,
                           int count);

/// Numbers of the links between switches that a message from one node of the fabric to another crosses, in order. Links
/// are one direction each. Routes are those of SimGrid's zones (torus: one dimension after another, the shorter way
/// around; dragonfly: at most one link in each group and one between groups; fat-tree with static routes: the cable
/// of the destination, D-mod-k); a fat-tree goes up to the lowest group that holds both nodes and down again, and with
/// adaptive routes the links of a group, up or down, are one. Over rails every message changes its rail, and so leaves
/// its leaf: fabric_over() says whose messages do not.
std::vector<std::size_t> links_between(const Fabric& fabric, int from, int to);

/// Line rate of a link, less the background traffic, B/s.
double link_line_Bps(const PlacedFabric& placed, std::size_t link);

/// Line rate of one cable of such a link: of a tree a NIC's.
double cable_line_Bps(const PlacedFabric& placed);

/// Messages that go at the same time, by nodes of the job, each with how much it carries.
struct NodeMessage {
  int from = 0;
  int to = 0;
  double weight = 1;
};

/// What each link carries.
std::map<std::size_t, double> link_loads(const PlacedFabric& placed, const std::vector<NodeMessage>& messages);

/// The longest that a link is busy with these messages, in the time that a NIC takes for weight 1.
double busiest_link(const PlacedFabric& placed, const std::vector<NodeMessage>& messages);

} // namespace ddlsim
