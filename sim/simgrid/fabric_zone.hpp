#pragma once
// A fabric's links between switches on SimGrid, for runs of every message: SimGrid's own torus, dragonfly and fat-tree
// zones, and links of our own for the uplinks of groups that messages are spread over.

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

/// The links of one machine's fabric; without one, no message crosses any. Rates are those that software reaches.
class FabricZone {
public:
  /// `parent`, a star, keeps the links; it may be sealed only after the last call of route().
  FabricZone(simgrid::s4u::NetZone& parent, const Machine& machine);

  /// What a message from one of the job's nodes to another crosses, in order.
  std::vector<simgrid::s4u::Link*> route(int from_node, int to_node);

private:
  simgrid::s4u::Link* group_link(std::size_t number);
  void build_zone();

  simgrid::s4u::NetZone& parent_;
  const Machine& machine_;
  std::map<std::size_t, simgrid::s4u::Link*> group_links_; ///< where there is no zone
  std::vector<simgrid::s4u::Host*> places_;                ///< of SimGrid's zone
};

} // namespace ddlsim
