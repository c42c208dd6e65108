#pragma once
// The links between a fabric's switches on SimGrid, for runs of every message. Torus, dragonfly and fat-tree are zones
// of SimGrid. Groups of uplinks over which messages are spread are links that ddlsim makes.

#include "sim/network/machine.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace simgrid::s4u {
class Host;
class Link;
class NetZone;
} // namespace simgrid::s4u

namespace ddlsim {

/// The links of a machine's fabric, at the rates that software reaches. A machine without a fabric has none.
class FabricZone {
public:
  /// `parent` is a star zone and keeps the links. It may be sealed only after the last call of route().
  FabricZone(simgrid::s4u::NetZone& parent, const Machine& machine);

  /// Returns the links that a message from one of the job's nodes to another crosses, in order.
  std::vector<simgrid::s4u::Link*> route(int from_node, int to_node);

private:
  simgrid::s4u::Link* group_link(std::size_t number);
  void build_zone();

  simgrid::s4u::NetZone& parent_;
  const Machine& machine_;
  /// links of groups, by number; empty where SimGrid has a zone
  std::map<std::size_t, simgrid::s4u::Link*> group_links_;
  std::vector<simgrid::s4u::Host*> places_; ///< the hosts of SimGrid's zone
};

} // namespace ddlsim
