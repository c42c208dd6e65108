#pragma once
// The links between a fabric's switches on SimGrid, for runs of every message. Torus, dragonfly and fat-tree are
// SimGrid's own zones; group uplinks over which messages are spread are links that ddlsim makes.

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

/// The links of one machine's fabric; a machine without a fabric has none. Rates are those that software reaches.
class FabricZone {
public:
  /// `parent`, a star, keeps the links; it may be sealed only after the last call of route().
  FabricZone(simgrid::s4u::NetZone& parent, const Machine& machine);

  /// Returns the links that a message from one of the job's nodes to another crosses, in order.
  std::vector<simgrid::s4u::Link*> route(int from_node, int to_node);

private:
  simgrid::s4u::Link* group_link(std::size_t number);
  void build_zone();

  simgrid::s4u::NetZone& parent_;
  const Machine& machine_;
  std::map<std::size_t, simgrid::s4u::Link*> group_links_; ///< empty where SimGrid has a zone
  std::vector<simgrid::s4u::Host*> places_;                ///< the hosts of SimGrid's zone
};

} // namespace ddlsim
