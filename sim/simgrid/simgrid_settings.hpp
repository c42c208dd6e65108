#pragma once
// Every SimGrid setting, and how every simulation makes links, in one place. SimGrid's types stay in the sources of
// this folder.

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

/// SimGrid counts messages in whole units. A chunk of S/n bytes is not a whole number of bytes, so the simulation
/// counts in parts of a byte: sizes and rates both are multiplied by this, times stay.
constexpr double units_per_byte = 1048576;

/// A size as SimGrid takes it. Sizes up to 1.7e13 bytes fit.
std::uint64_t to_units(double size_bytes);

/// The settings that decide simulated times, "name:value" as SimGrid's --cfg takes them: for runs beside ours that must
/// be on the same network.
std::span<const char* const> simulated_time_settings();

/// Starts SimGrid with the project's settings. Once per process, before anything else of SimGrid: it keeps global
/// state.
void start_simgrid();

// Zones and links of a SimGrid platform and the messages on them, as every simulation of this folder makes them.

/// A zone with a route for each pair of hosts, and one where each host has a way in and a way out: the platform's only
/// one, or inside `parent`.
simgrid::s4u::NetZone& make_full_zone(const std::string& name);
simgrid::s4u::NetZone& make_full_zone(simgrid::s4u::NetZone& parent, const std::string& name);
simgrid::s4u::NetZone& make_star_zone(const std::string& name);

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

/// Sends a message that gets `most_Bps` at most, 0: no ceiling; returns when it has passed. The ceiling is the
/// message's and not a link's: of a link that caps each message by itself (FATPIPE) SimGrid's solver looks at every
/// message again for each that it settles, which of a thousand takes 20 times as long as all else.
void send(simgrid::s4u::Mailbox& mailbox, std::uint64_t units, double most_Bps);

} // namespace ddlsim
