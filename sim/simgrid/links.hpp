#pragma once
// Links of a SimGrid platform and the messages on them, as every simulation of this folder makes them.

#include "sim/network/machine.hpp"

#include <string>
#include <vector>

namespace simgrid::s4u {
class Link;
class NetZone;
} // namespace simgrid::s4u

namespace ddlsim {

/// One kind of link, one for each place, one direction.
using Links = std::vector<simgrid::s4u::Link*>;

/// Shared links have no latency: a latency would hold the sender as long as the link. It is a delay at delivery
/// instead, see sim/collective/ring.hpp.
simgrid::s4u::Link* make_link(simgrid::s4u::NetZone& zone, const std::string& name, double rate_Bps);

/// `kind`0, `kind`1, ... of one rate.
Links make_links(simgrid::s4u::NetZone& zone, const std::string& kind, int count, double rate_Bps);

/// The NIC of each node; those behind the workers' are of dedicated servers.
Links make_nics(simgrid::s4u::NetZone& zone, const std::string& kind, int nodes, const Machine& machine);

/// What every message points at: SimGrid wants an address, and nobody reads it.
int* no_content();

} // namespace ddlsim
