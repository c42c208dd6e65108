#pragma once
// Who sends what over which links in a parameter-server exchange; shared by the closed form and the full simulation.

#include "sim/parameter_server/exchange.hpp"

#include <vector>

namespace ddlsim {

/// Node that server p runs on: a worker's node, or (dedicated) a node of its own behind the workers'.
int server_node(const Machine& machine, const ServerMachine& servers, int server);

/// Leaf switch of a node, 0 when the fabric is one switch; dedicated servers fill leaves after the workers.
int leaf_of_node(const Machine& machine, int node);

/// Copies of each shard that one server takes in, by way.
struct Copies {
  int remote = 0; ///< over the NICs
  int local = 0;  ///< from its own node, over the loopback
  int all() const { return remote + local; }
};
Copies copies_at_server(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange);

/// Rate at which one server alone takes in all copies together while it gives out as many.
double server_rate_Bps(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange);

/// Bytes that every copy of each shard counts as: its own and the software cost at the server's rate while all servers
/// are busy. At the rate of a server alone the costs of servers that share the workers' NICs would add up there.
std::vector<double> message_sizes(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange);

/// Delay of the slowest copy, one way.
double copy_latency_s(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange);

/// Sets end_s, busiest_server and busiest_server_s of a timing whose pulled_s is known.
void summarise(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
               ServerExchangeTiming& timing);

/// Throws std::invalid_argument when a rate in use is not above zero, or ready_s is not as long as shards.
void require_usable(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange);

} // namespace ddlsim
