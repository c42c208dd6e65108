#include "sim/simgrid/fabric_zone.hpp"

#include "sim/base/error.hpp"
#include "sim/simgrid/links.hpp"
#include "sim/simgrid/simgrid_settings.hpp"

#include <fmt/format.h>
#include <simgrid/s4u.hpp>

namespace ddlsim {
namespace {

namespace s4u = simgrid::s4u;

constexpr auto both_ways = s4u::Link::SharingPolicy::SPLITDUPLEX;

/// A place of the fabric, which computes nothing.
std::pair<simgrid::kernel::routing::NetPoint*, simgrid::kernel::routing::NetPoint*>
make_place(s4u::NetZone* zone, const std::vector<unsigned long>&, unsigned long id) {
  constexpr double idle_flops = 1;
  return {zone->create_host("place" + std::to_string(id), idle_flops)->seal()->get_netpoint(), nullptr};
}

s4u::NetZone* make_torus(const s4u::NetZone& parent, const Fabric& fabric, double link_units) {
  const std::vector<unsigned long> dimensions(fabric.dimensions.begin(), fabric.dimensions.end());
  return s4u::create_torus_zone("fabric", &parent, dimensions, s4u::ClusterCallbacks(make_place), link_units, 0,
                                both_ways);
}

/// One chassis a group: SimGrid's third level is not ours.
s4u::NetZone* make_dragonfly(const s4u::NetZone& parent, const Fabric& fabric, double link_units) {
  const auto of = [](int count) { return static_cast<unsigned>(count); };
  const s4u::DragonflyParams parameters({of(fabric.groups), of(fabric.links_between_groups)}, {1, 1},
                                        {of(fabric.switches_per_group), 1}, of(fabric.nodes_per_switch));
  return s4u::create_dragonfly_zone("fabric", &parent, parameters, s4u::ClusterCallbacks(make_place), link_units, 0,
                                    both_ways);
}

} // namespace

FabricZone::FabricZone(s4u::NetZone& parent, const Machine& machine) : parent_(parent), machine_(machine) {
  if (machine.fabric && machine.fabric->fabric.kind != FabricKind::fat_tree) build_zone();
}

void FabricZone::build_zone() {
  const auto& placed = *machine_.fabric;
  const double one_link_Bps = (1 - placed.background) * placed.fabric.link_bandwidth_Bps;
  const double link_units = machine_.nic_Bps * one_link_Bps / placed.nic_line_Bps * units_per_byte;
  auto* zone = placed.fabric.kind == FabricKind::torus ? make_torus(parent_, placed.fabric, link_units)
                                                       : make_dragonfly(parent_, placed.fabric, link_units);
  zone->seal();
  for (int place = 0; place < nodes_of_fabric(placed.fabric); ++place)
    places_.push_back(s4u::Host::by_name("place" + std::to_string(place)));
}

s4u::Link* FabricZone::group_link(std::size_t number) {
  auto& link = group_links_[number];
  if (link == nullptr)
    link = make_link(parent_, "group-link" + std::to_string(number), link_Bps(machine_, *machine_.fabric, number));
  return link;
}

std::vector<s4u::Link*> FabricZone::way(int from_node, int to_node) {
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
  return links;
}

} // namespace ddlsim
