#include "sim/simgrid/fabric_zone.hpp"

#include "sim/base/error.hpp"
#include "sim/network/nic_rate.hpp"
#include "sim/simgrid/simgrid_settings.hpp"

#include <fmt/format.h>
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

namespace s4u = simgrid::s4u;

constexpr auto both_ways = s4u::Link::SharingPolicy::SPLITDUPLEX;

/// Makes the host at one place of the fabric; it computes nothing.
s4u::Host* make_place(s4u::NetZone* zone, const std::vector<unsigned long>&, unsigned long id) {
  constexpr double idle_flops = 1;
  return zone->create_host("place" + std::to_string(id), idle_flops)->seal();
}

/// Returns the callbacks with which SimGrid's zones make their hosts.
s4u::ClusterCallbacks make_places() {
#if SIMGRID_VERSION >= 40000
  return s4u::ClusterCallbacks(make_place);
#else
  return s4u::ClusterCallbacks([](s4u::NetZone* zone, const std::vector<unsigned long>& coordinates, unsigned long id) {
    return std::pair<simgrid::kernel::routing::NetPoint*, simgrid::kernel::routing::NetPoint*>(
        make_place(zone, coordinates, id)->get_netpoint(), nullptr);
  });
#endif
}

s4u::NetZone* make_torus(s4u::NetZone& parent, const Fabric& fabric, double link_units) {
  const std::vector<unsigned long> dimensions(fabric.dimensions.begin(), fabric.dimensions.end());
  return s4u::create_torus_zone("fabric", &parent, dimensions, make_places(), link_units, 0, both_ways);
}

/// Makes a dragonfly with one chassis in each group. SimGrid's dragonfly has a third level, which that of ddlsim has
/// not.
s4u::NetZone* make_dragonfly(s4u::NetZone& parent, const Fabric& fabric, double link_units) {
  const auto of = [](int count) { return static_cast<unsigned>(count); };
  const s4u::DragonflyParams parameters({of(fabric.groups), of(fabric.links_between_groups)}, {1, 1},
                                        {of(fabric.switches_per_group), 1}, of(fabric.nodes_per_switch));
  return s4u::create_dragonfly_zone("fabric", &parent, parameters, make_places(), link_units, 0, both_ways);
}

/// Returns how many whole groups of the tree's highest level hold all places.
int groups_with_places(const PlacedFabric& placed) {
  const int last = *std::max_element(placed.places.begin(), placed.places.end());
  return 1 + last / levels_of(placed.fabric).back().nodes;
}

/// Makes a fat tree with one cable between any two linked switches.
s4u::NetZone* make_fat_tree(s4u::NetZone& parent, const PlacedFabric& placed, double link_units) {
  const auto of = [](double count) { return static_cast<unsigned>(std::lround(count)); };
  std::vector<unsigned> parts;
  std::vector<unsigned> uplinks{1};
  double nodes = 1;
  for (const auto& level : levels_of(placed.fabric)) {
    parts.push_back(of(level.nodes / nodes));
    nodes = level.nodes;
  }
  parts.push_back(of(groups_with_places(placed)));
  double below = 1;
  for (const double cables : uplink_cables(placed.fabric)) {
    uplinks.push_back(of(cables / below));
    below = cables;
  }
  const s4u::FatTreeParams parameters(of(static_cast<double>(parts.size())), parts, uplinks,
                                      std::vector<unsigned>(parts.size(), 1));
  return s4u::create_fatTree_zone("fabric", &parent, parameters, make_places(), link_units, 0, both_ways);
}

/// Largest number of places for which SimGrid's zone is used. SimGrid visits every pair of a switch and one above it,
/// which takes a minute for 16,384 nodes.
constexpr int most_places_of_zone = 4096;

int places_of_zone(const PlacedFabric& placed) {
  if (!is_tree(placed.fabric)) return nodes_of_fabric(placed.fabric);
  return groups_with_places(placed) * levels_of(placed.fabric).back().nodes;
}

/// Returns whether SimGrid has a zone for the fabric. Its fat-tree has static routes only, and each node has one NIC.
bool has_zone(const PlacedFabric& placed) {
  if (!is_tree(placed.fabric)) return true;
  return placed.fabric.kind == FabricKind::fat_tree && placed.fabric.routing == Routing::fixed &&
         !placed.places.empty() && places_of_zone(placed) <= most_places_of_zone;
}

s4u::NetZone* make_zone(s4u::NetZone& parent, const PlacedFabric& placed, double link_units) {
  if (is_tree(placed.fabric)) return make_fat_tree(parent, placed, link_units);
  if (placed.fabric.kind == FabricKind::torus) return make_torus(parent, placed.fabric, link_units);
  return make_dragonfly(parent, placed.fabric, link_units);
}

} // namespace

FabricZone::FabricZone(s4u::NetZone& parent, const Machine& machine) : parent_(parent), machine_(machine) {
  if (machine.fabric && has_zone(*machine.fabric)) build_zone();
}

void FabricZone::build_zone() {
  const auto& placed = *machine_.fabric;
  const double cable_Bps = nic_rate_Bps(
      machine_.nic_Bps, {.joined = cable_line_Bps(placed) / placed.nic_line_Bps, .other_traffic = placed.background});
  make_zone(parent_, placed, cable_Bps * units_per_byte)->seal();
  for (int place = 0; place < places_of_zone(placed); ++place)
    places_.push_back(s4u::Host::by_name("place" + std::to_string(place)));
}

s4u::Link* FabricZone::group_link(std::size_t number) {
  auto& link = group_links_[number];
  if (link == nullptr)
    link = make_link(parent_, "group-link" + std::to_string(number), link_Bps(machine_, *machine_.fabric, number));
  return link;
}

std::vector<s4u::Link*> FabricZone::route(int from_node, int to_node) {
  std::vector<s4u::Link*> links;
  if (!machine_.fabric || from_node == to_node) return links;
  const auto& placed = *machine_.fabric;
  if (at(std::max(from_node, to_node)) >= placed.places.size())
    throw UserError("", "/strategies",
                    fmt::format("the fabric has no place for server host {}; ask for fewer servers",
                                std::max(from_node, to_node) - machine_.nodes() + 1));
  const int from = placed.places[at(from_node)];
  const int to = placed.places[at(to_node)];
  if (places_.empty()) {
    for (const auto number : links_between(placed.fabric, from, to)) links.push_back(group_link(number));
    return links;
  }
  double latency_s = 0;
  places_[at(from)]->route_to(places_[at(to)], links, &latency_s);
  if (!is_tree(placed.fabric)) return links;
  // the NICs of the nodes stand for the first and the last link, which are the nodes' own cables
  return {links.begin() + 1, links.end() - 1};
}

} // namespace ddlsim
