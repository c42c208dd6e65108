#pragma once
// The links that each message of an exchange with parameter servers crosses. The closed form and the full simulation
// share this.

#include "sim/parameter_server/exchange.hpp"

#include <vector>

namespace ddlsim {

/// Returns the node that a server runs on: a worker's node, or for a dedicated server a node of its own after the
/// workers'.
int server_node(const Machine& machine, const ServerMachine& servers, int server);

/// Returns the leaf switch of a node; 0 when the fabric is one switch. Dedicated servers fill leaves after the workers.
int leaf_of_node(const Machine& machine, int node);

/// Number of copies of each shard that one server takes in, by the link on which they arrive.
struct Copies {
  int remote = 0; ///< copies from other nodes, over the NICs
  int local = 0;  ///< copies from its own node, over the loopback
  int all() const { return remote + local; }
};
Copies copies_at_server(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange);

/// Returns the rate at which a server takes in all copies together while it gives out as many and no other server is
/// busy.
double server_rate_Bps(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange);

/// Returns the bytes that every copy of each shard counts as: its own, and the software cost of a message at the rate
/// of a server while all servers are busy. At the rate of a server that is alone, the costs of servers that share the
/// workers' NICs would add up on these NICs.
std::vector<double> message_sizes(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange);

/// Returns the delay of the slowest copy in one direction.
double copy_latency_s(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange);

/// Sets end_s, busiest_server and busiest_server_s of a timing whose pulled_s is known.
void summarise(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
               ServerExchangeTiming& timing);

/// Throws std::invalid_argument when a rate in use is not above zero, or ready_s is not as long as shards.
void require_usable(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange);

} // namespace ddlsim
