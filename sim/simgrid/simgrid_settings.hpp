#pragma once
// All settings of SimGrid, and the functions with which every simulation makes its links. SimGrid's types stay in the
// sources of this folder.

#include "sim/network/machine.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace simgrid::s4u {
class Link;
class Mailbox;
class NetZone;
} // namespace simgrid::s4u

namespace ddlsim {

/// SimGrid counts messages in whole units, but a chunk of S/n bytes is not a whole number of bytes. So the simulation
/// counts in fractions of a byte: sizes and rates are both multiplied by this, and times stay the same.
constexpr double units_per_byte = 1048576;

/// Converts a size to SimGrid's units. Sizes up to 1.7e13 bytes fit.
std::uint64_t to_units(double size_bytes);

/// Returns the settings that decide simulated times, as "name:value", which SimGrid's --cfg takes. Other SimGrid
/// programs that must simulate the same network use them.
std::span<const char* const> simulated_time_settings();

/// Starts SimGrid with the project's settings. Call it once per process, before anything else of SimGrid: SimGrid keeps
/// global state.
void start_simgrid();

// Zones, links and messages of a SimGrid platform, as every simulation of this folder makes them.

/// Makes a zone. A full zone has a route for each pair of hosts; in a star zone each host has a route in and a route
/// out. The zone is the platform's only one, or inside `parent`.
simgrid::s4u::NetZone& make_full_zone(const std::string& name);
simgrid::s4u::NetZone& make_full_zone(simgrid::s4u::NetZone& parent, const std::string& name);
simgrid::s4u::NetZone& make_star_zone(const std::string& name);

/// Links of one kind and one direction, one for each node, leaf or rank.
using Links = std::vector<simgrid::s4u::Link*>;

/// Makes a shared link without latency, because a latency would hold the sender as long as the link. Latency is a delay
/// at delivery instead, see sim/collective/ring.hpp.
simgrid::s4u::Link* make_link(simgrid::s4u::NetZone& zone, const std::string& name, double rate_Bps);

/// Makes the links `kind`0, `kind`1, ..., all of one rate.
Links make_links(simgrid::s4u::NetZone& zone, const std::string& kind, int count, double rate_Bps);

/// Makes the NIC of each node; dedicated servers' NICs come after the workers'.
Links make_nics(simgrid::s4u::NetZone& zone, const std::string& kind, int nodes, const Machine& machine);

/// The address that every message carries, because SimGrid requires one; nobody reads it.
int* no_content();

/// Sends a message at `most_Bps` at most (0: no ceiling), and returns when it has passed. The ceiling belongs to the
/// message, and not to a link: on a link that caps each message by itself (FATPIPE), SimGrid's solver visits every
/// message again for each that it settles. For a thousand messages that takes 20 times as long as everything else.
void send(simgrid::s4u::Mailbox& mailbox, std::uint64_t units, double most_Bps);

} // namespace ddlsim
