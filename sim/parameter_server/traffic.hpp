#pragma once
// The links that each message of a parameter-server exchange crosses; shared by the closed form and the full
// simulation.

#include "sim/parameter_server/exchange.hpp"

#include <vector>

namespace ddlsim {

/// Returns the node that a server runs on: a worker's node, or (dedicated) a node of its own after the workers'.
int server_node(const Machine& machine, const ServerMachine& servers, int server);

/// Returns the leaf switch of a node, 0 when the fabric is one switch; dedicated servers fill leaves after the workers.
int leaf_of_node(const Machine& machine, int node);

/// Copies of each shard that one server takes in, by the link they arrive over.
struct Copies {
  int remote = 0; ///< over the NICs
  int local = 0;  ///< from its own node, over the loopback
  int all() const { return remote + local; }
};
Copies copies_at_server(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange);

/// Returns the rate at which a server that is alone takes in all copies together while it gives out as many.
double server_rate_Bps(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange);

/// Returns the bytes that every copy of each shard counts as: its own, and its software cost at the rate of a server
/// while all servers are busy. At the rate of a server that is alone, the costs of servers that share the workers' NICs
/// would add up there.
std::vector<double> message_sizes(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange);

/// Returns the delay of the slowest copy in one direction.
double copy_latency_s(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange);

/// Sets end_s, busiest_server and busiest_server_s of a timing whose pulled_s is known.
void summarise(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
               ServerExchangeTiming& timing);

/// Throws std::invalid_argument when a rate in use is not above zero, or ready_s is not as long as shards.
void require_usable(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange);

} // namespace ddlsim
