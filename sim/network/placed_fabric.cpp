#include "sim/network/placed_fabric.hpp"

#include "sim/base/error.hpp"
#include "sim/network/nic_rate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ddlsim {
namespace {

std::size_t number(long value) {
  return static_cast<std::size_t>(value);
}

// Numbers of links. Fat-tree: cable + most cables of a group x (level + levels x (2 x group + direction)). Torus: 2 x
// (dimensions x node + dimension) + direction, of the node that the link leaves upwards. Dragonfly: three kinds, see
// below.

constexpr long up = 0;
constexpr long down = 1;

/// Number of cables of a group at each level, for static routes, where a message uses one of them. The list is empty
/// where a message is spread over all cables.
std::vector<long> cables_of(const Fabric& fabric) {
  std::vector<long> cables;
  if (fabric.routing != Routing::fixed) return cables;
  for (const double of_level : uplink_cables(fabric)) cables.push_back(std::lround(of_level));
  return cables;
}

/// The links that a message crosses in a fat-tree. Static routes are those of the destination modulo the cables
/// (D-mod-k: Zahavi, "D-Mod-K routing providing non-blocking traffic for shift permutations on real life fat trees",
/// 2010), so all messages to a node come down the same cables. Most calls are for nodes that share a leaf, and allocate
/// no memory.
std::vector<std::size_t> tree_route(const Fabric& fabric, int from, int to) {
  const long count = 1 + static_cast<long>(fabric.upper_levels.size());
  const auto group_of = [&](int node, long level) {
    return node / (level == 0 ? fabric.nodes_per_leaf : fabric.upper_levels[number(level - 1)].nodes);
  };
  long top = fabric.kind == FabricKind::rails ? 1 : 0; // on rails, because another rail is on another leaf
  while (top < count && group_of(from, top) != group_of(to, top)) ++top;
  if (top == 0) return {};
  const auto cables = cables_of(fabric);
  const long most_cables = cables.empty() ? 1 : *std::max_element(cables.begin(), cables.end());
  const auto link = [&](long level, int node, long direction) {
    const long cable = cables.empty() ? 0 : to % cables[number(level)];
    return number(cable + most_cables * (level + count * (2L * group_of(node, level) + direction)));
  };
  std::vector<std::size_t> route;
  route.reserve(2 * number(top));
  for (long level = 0; level < top; ++level) route.push_back(link(level, from, up));
  for (long level = top - 1; level >= 0; --level) route.push_back(link(level, to, down));
  return route;
}

/// Whether SimGrid's torus goes upwards from one place of a dimension to another. It goes the shorter way; where both
/// are equally long, it goes from the lower to the higher place.
bool goes_up(int from, int to, int length) {
  const int half = length / 2;
  return (to > from && to <= from + half) || (from > half && (from + half) % length >= to);
}

std::vector<std::size_t> torus_route(const Fabric& fabric, int from, int to) {
  const long dimensions = static_cast<long>(fabric.dimensions.size());
  std::vector<std::size_t> route;
  long node = from;
  long stride = 1;
  for (long dimension = 0; dimension < dimensions; ++dimension) {
    const int length = fabric.dimensions[number(dimension)];
    const int start = static_cast<int>(from / stride % length);
    const int end = static_cast<int>(to / stride % length);
    const bool upwards = goes_up(start, end, length);
    for (int place = start; place != end;) {
      const int next = (place + (upwards ? 1 : length - 1)) % length;
      const long lower = node + (upwards ? 0 : next - place) * stride; // the node whose upward link the message crosses
      route.push_back(number(2 * (dimensions * lower + dimension) + (upwards ? up : down)));
      node += (next - place) * stride;
      place = next;
    }
    stride *= length;
  }
  return route;
}

/// Numbers of a dragonfly's links: 3 x index + kind.
constexpr long port_kind = 0;   ///< index 2 x node + direction
constexpr long inside_kind = 1; ///< index switch x switches of a group + switch of the same group
constexpr long across_kind = 2; ///< index group x groups + group

std::vector<std::size_t> dragonfly_route(const Fabric& fabric, int from, int to) {
  const long switches = fabric.switches_per_group;
  const long from_switch = from / fabric.nodes_per_switch;
  const long to_switch = to / fabric.nodes_per_switch;
  const long from_group = from_switch / switches;
  const long to_group = to_switch / switches;
  std::vector<std::size_t> route{number(3 * (2L * from + up) + port_kind)};
  long at_switch = from_switch;
  const auto go_inside = [&](long target) {
    if (at_switch != target) route.push_back(number(3 * (at_switch * switches + target % switches) + inside_kind));
    at_switch = target;
  };
  if (from_group != to_group) {
    go_inside(from_group * switches + to_group);
    route.push_back(number(3 * (from_group * fabric.groups + to_group) + across_kind));
    at_switch = to_group * switches + from_group;
  }
  go_inside(to_switch);
  route.push_back(number(3 * (2L * to + down) + port_kind));
  return route;
}

std::vector<int> listed_places(const NodePlacement& placement, int fabric_nodes, int count) {
  for (const int place : placement.nodes)
    if (place >= fabric_nodes)
      throw UserError(
          "", "/node_placement",
          fmt::format("node {} is not one of the fabric's {} nodes, which are counted from 0", place, fabric_nodes));
  if (placement.nodes.size() < number(count))
    throw UserError("", "/node_placement",
                    fmt::format("{} nodes are listed and {} are needed; list more, or ask for fewer GPUs",
                                placement.nodes.size(), count));
  return {placement.nodes.begin(), placement.nodes.begin() + count};
}

/// The node at place `index` of an order that takes one node of each group in turn, then a second of each. Groups have
/// `group` nodes.
int dealt_out(int index, int group, int nodes) {
  const int groups = (nodes + group - 1) / group;
  const int whole = nodes - (groups - 1) * group; // number of nodes in the last group
  if (index < whole * groups) return index % groups * group + index / groups;
  const int left = index - whole * groups;
  return left % (groups - 1) * group + whole + left / (groups - 1);
}

} // namespace

double load_of(const FabricLoad& load, TrafficPattern pattern) {
  switch (pattern) {
  case TrafficPattern::ring:
    return load.ring;
  case TrafficPattern::double_tree:
    return load.tree;
  case TrafficPattern::halving_doubling:
    return load.halving_doubling;
  case TrafficPattern::recursive_doubling:
    return load.recursive_doubling;
  case TrafficPattern::all_to_all:
    return load.all_to_all;
  case TrafficPattern::in_order:
    return load.in_order;
  }
  throw std::logic_error("a pattern of traffic without a load");
}

bool needs_links(const Fabric& fabric, const NodePlacement& placement) {
  if (fabric.kind == FabricKind::star) return false;
  if (fabric.kind != FabricKind::fat_tree || fabric.routing == Routing::fixed) return true;
  return !fabric.upper_levels.empty() || placement.order != NodeOrder::packed;
}

std::vector<int> places_of(const Fabric& fabric, const NodePlacement& placement, int fabric_nodes, int taken,
                           int count) {
  if (placement.order == NodeOrder::listed) return listed_places(placement, fabric_nodes, count);
  if (taken + count > fabric_nodes)
    throw UserError("", "/neighbours",
                    fmt::format("all jobs together have {} nodes, and the fabric has {}; ask for fewer", taken + count,
                                fabric_nodes));
  int group = 1;
  if (is_tree(fabric)) group = fabric.nodes_per_leaf;
  if (fabric.kind == FabricKind::torus) group = fabric.dimensions.front();
  if (fabric.kind == FabricKind::dragonfly) group = fabric.switches_per_group * fabric.nodes_per_switch;
  std::vector<int> places;
  for (int node = taken; node < taken + count; ++node)
    places.push_back(placement.order == NodeOrder::packed ? node : dealt_out(node, group, fabric_nodes));
  return places;
}

std::vector<std::size_t> links_between(const Fabric& fabric, int from, int to) {
  if (from == to) return {};
  switch (fabric.kind) {
  case FabricKind::star:
    return {};
  case FabricKind::fat_tree:
  case FabricKind::rails:
    return tree_route(fabric, from, to);
  case FabricKind::torus:
    return torus_route(fabric, from, to);
  case FabricKind::dragonfly:
    return dragonfly_route(fabric, from, to);
  }
  throw std::logic_error("a fabric without routes");
}

double link_line_Bps(const PlacedFabric& placed, std::size_t link) {
  const auto& fabric = placed.fabric;
  double cables = 1;
  if (is_tree(fabric) && fabric.routing != Routing::fixed)
    cables = uplink_cables(fabric)[link % (1 + fabric.upper_levels.size())];
  if (fabric.kind == FabricKind::dragonfly && link % 3 == number(across_kind)) cables = fabric.links_between_groups;
  return nic_rate_Bps(cable_line_Bps(placed), {.joined = cables, .other_traffic = placed.background});
}

double cable_line_Bps(const PlacedFabric& placed) {
  return is_tree(placed.fabric) ? placed.nic_line_Bps : placed.fabric.link_bandwidth_Bps;
}

std::map<std::size_t, double> link_loads(const PlacedFabric& placed, const std::vector<NodeMessage>& messages) {
  std::map<std::size_t, double> loads;
  for (const auto& message : messages)
    for (const auto link :
         links_between(placed.fabric, placed.places[number(message.from)], placed.places[number(message.to)]))
      loads[link] += message.weight;
  return loads;
}

double busiest_link(const PlacedFabric& placed, const std::vector<NodeMessage>& messages) {
  double busiest = 0;
  for (const auto& [link, load] : link_loads(placed, messages))
    busiest = std::max(busiest, load * placed.nic_line_Bps / link_line_Bps(placed, link));
  return busiest;
}

} // namespace ddlsim
