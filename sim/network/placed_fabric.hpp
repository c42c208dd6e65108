#pragma once
// The links between switches of a fabric, and the places of a job's nodes on it.

#include "sim/formats/fabric.hpp"
#include "sim/formats/neighbour.hpp"

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace ddlsim {

/// Which nodes send to which at the same time: see fabric_load() of sim/collective/fabric_load.hpp.
enum class TrafficPattern { ring, double_tree, halving_doubling, recursive_doubling, all_to_all, in_order };

/// For each pattern of traffic, the time for which the busiest link between switches is busy, over the time for which a
/// NIC is; 1: no link is slower than the NICs. `hops` is the mean number of links that a message of a ring crosses from
/// node to node.
struct FabricLoad {
  double ring = 1;
  double tree = 1;
  double halving_doubling = 1;
  double recursive_doubling = 1;
  double all_to_all = 1;
  double in_order = 1; ///< each node sends to the node at the next place
  double hops = 1;

  bool operator==(const FabricLoad&) const = default;
};

double load_of(const FabricLoad& load, TrafficPattern pattern);

/// A fabric whose links between switches have to be simulated one by one, with the places of a job on it.
struct PlacedFabric {
  Fabric fabric;
  double nic_line_Bps = 0;   ///< rate of all ports of a node; rates of links are relative to it
  double background = 0;     ///< share of each link that other traffic takes
  std::vector<int> places{}; ///< number on the fabric of each node of the job, and then of hosts for servers
  FabricLoad load{};         ///< load of the job's nodes, see sim/collective/fabric_load.hpp

  bool operator==(const PlacedFabric&) const = default;
};

/// Whether messages of such a job cross links that a Machine does not model by itself: on a torus, a dragonfly, rails
/// that messages change, a fat-tree of several levels or with static routes, or a fat-tree whose leaves the job does
/// not fill one after another.
bool needs_links(const Fabric& fabric, const NodePlacement& placement);

/// The numbers on the fabric of `count` nodes of a job. They are the next in the placement's order after the first
/// `taken` nodes. Throws UserError when a list is too short, or names a node that the fabric of `fabric_nodes` nodes
/// does not have.
std::vector<int> places_of(const Fabric& fabric, const NodePlacement& placement, int fabric_nodes, int taken,
                           int count);

/// Numbers of the links between switches that a message from one node of the fabric to another crosses, in order. A
/// link has one direction.
/// Routes are those of SimGrid's zones. A torus goes along one dimension after another, the shorter way around. A
/// dragonfly uses at most one link in each group and one between groups. A fat-tree goes up to the lowest group that
/// holds both nodes and down again; with static routes it uses the destination's cable (D-mod-k), and with adaptive
/// routes all links of a group in one direction count as one. On rails every message changes its rail, and so leaves
/// its leaf. For transports whose messages do not, fabric_over() gives another fabric.
std::vector<std::size_t> links_between(const Fabric& fabric, int from, int to);

/// Line rate of a link, less the background traffic, B/s.
double link_line_Bps(const PlacedFabric& placed, std::size_t link);

/// Line rate of one cable of such a link, B/s. In a fat-tree it is that of a NIC.
double cable_line_Bps(const PlacedFabric& placed);

/// One of several messages that are sent at the same time: the nodes of the job that send and receive it, and its bytes
/// as a weight.
struct NodeMessage {
  int from = 0;
  int to = 0;
  double weight = 1;
};

/// The sum of the messages' weights on each link.
std::map<std::size_t, double> link_loads(const PlacedFabric& placed, const std::vector<NodeMessage>& messages);

/// The longest time that a link is busy with these messages, in units of a NIC's time for weight 1.
double busiest_link(const PlacedFabric& placed, const std::vector<NodeMessage>& messages);

} // namespace ddlsim
