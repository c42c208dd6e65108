#pragma once
// One synchronous exchange with parameter servers (push, sum over all workers, pull), and the paths inside a node, each
// of which carries one message at a time.

#include "sim/network/machine.hpp"
#include "sim/parameter_server/placement.hpp"

#include <cstddef>
#include <vector>

namespace ddlsim {

/// The data that the workers send. Each node sends `messages_per_node` copies of every shard (1 when gradients are
/// summed on the node first), each from a process that has its own connection to each server.
struct ServerExchange {
  std::vector<Shard> shards;   ///< shards in the order in which they become ready, which a connection keeps
  std::vector<double> ready_s; ///< time at which each shard is ready on every worker, from the start of the iteration
  /// time at which each shard is ready on node 0 if it is a slow node; empty: as on the others
  std::vector<double> slow_ready_s;
  int messages_per_node = 1;
  double message_cost_s = 0; ///< software cost of one message at the server, each direction
};

struct ServerExchangeTiming {
  double end_s = 0;             ///< time at which the last worker has the last shard
  std::vector<double> summed_s; ///< time at which the server has the last copy of each shard
  std::vector<double> pulled_s; ///< time at which the slowest worker has each shard
  int busiest_server = 0;
  /// time that the busiest server's narrowest link needs for its messages, the same in each direction
  double busiest_server_s = 0;
  double simgrid_messages = 0; ///< number of messages that SimGrid ran
};

/// Computes the exchange in closed form: every connection carries one message at a time, all copies of a shard move at
/// one rate, and whenever a shard starts or ends, the shards under way share the links (NICs, each direction and both
/// together, leaf uplinks, server process, connection, loopback) by max-min fairness. With copies = nodes x
/// messages_per_node:
///   1. push: shard k of server p starts when it is ready and shard k-1 of p is in; its rate changes as other shards
///            start and end
///   2. sum:  in(p, k) = end of the push + latency; the server then has all copies
///   3. pull: starts at max(in(p, k), out(p, k-1)); out(p, k) at its end; pulled = out + latency
/// A message's software cost counts as cost x R further bytes; R is the rate at which a server takes in copies while
/// all servers are busy. Where servers are the bottleneck, each server is thus a FIFO in each direction:
///   in(p, k) = max(ready, in(p, k-1)) + copies x (bytes/R + cost), and the same for out;
/// with everything ready at 0 that is the two-machine flow shop, copies/R (sum s + max s).
///
/// It is exact, that is equal to the full simulation, for dedicated servers on one switch, whatever the shards and
/// whichever NIC is narrow, and for colocated servers that carry the same shards, as many on every node. Elsewhere the
/// copies of a shard do not stay together and the closed form is mostly too slow: the table of
/// `Executor::server_exchange` has the error.
///
/// It ignores a slow node: all NICs have nic_Bps and all workers are ready at ready_s.
///
/// Throws std::invalid_argument when a rate in use is not above zero, or ready_s is not as long as shards.
ServerExchangeTiming server_exchange_closed_form(const Machine& machine, const ServerMachine& servers,
                                                 const ServerExchange& exchange);

/// A message on a path inside a node.
struct PathMessage {
  std::size_t path = 0;
  double ready_s = 0;
  double size_bytes = 0;
};

/// Returns when each message has passed. A path carries one message at a time, in the order given, and starts each when
/// it is ready:
///   passed(k) = max(ready(k), passed(k-1)) + size / rate
std::vector<double> pass_paths(const std::vector<PathMessage>& messages, double rate_Bps);

} // namespace ddlsim
