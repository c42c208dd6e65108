#pragma once
// An exchange with servers on SimGrid. Each connection has two actors. SimGrid runs every connection, or one of each
// class.

#include "sim/parameter_server/exchange.hpp"
#include "sim/parameter_server/traffic.hpp"
#include "sim/simgrid/full.hpp"
#include "sim/simgrid/ring_run.hpp"

#include <simgrid/s4u/Semaphore.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace simgrid::s4u {
class Host;
} // namespace simgrid::s4u

namespace ddlsim {

/// The progress of one shard.
struct ShardOnServer {
  std::uint64_t units = 0;
  double ready_s = 0;      ///< time at which the shard is ready on every worker except node 0
  double slow_ready_s = 0; ///< time at which it is ready on node 0
  int copies_to_come = 0;
  double summed_s = 0;                    ///< time at which the last of the copies so far had arrived
  simgrid::s4u::SemaphorePtr all_in = {}; ///< released once for each waiting connection, when the last copy arrives
  int waiting = 0;
  int copies_to_give = 0;
  double pulled_s = 0;
};

/// A connection between one process of a worker node and one server. Each direction has an actor, which sends its
/// shards in order and also receives those of the opposite direction.
struct ShardConnection {
  simgrid::s4u::Host* worker = nullptr;
  simgrid::s4u::Host* server = nullptr;
  std::string name; ///< unique among the connections
  double delay_s = 0;
  bool from_slow_node = false;
  double most_Bps = 0; ///< highest rate of one message; 0: no ceiling
  std::vector<ShardOnServer*> shards = {};
};

/// Returns the shards of the exchange before any copy is under way. add_copies() then counts their copies.
std::vector<ShardOnServer> make_shards(const Machine& machine, const ServerMachine& servers,
                                       const ServerExchange& exchange);

/// Adds one copy to receive and one to send to each shard of the connection.
void add_copies(const ShardConnection& connection);

/// Returns when each shard was summed, then when each was pulled, in the order of the pointers.
std::vector<double> times_of(const std::vector<const ShardOnServer*>& shards);

/// Runs all connections at the same time and returns the number of messages. The times are recorded in the shards.
double run_connections(const std::vector<ShardConnection>& connections);

// A SimGrid platform of workers, servers and the links between them.

struct ServerPlatform {
  std::vector<simgrid::s4u::Host*> workers;  ///< one host for each worker node
  std::vector<simgrid::s4u::Host*> servers;  ///< one host for each server process, even where it shares a worker's node
  std::vector<std::vector<RingRank>> beside; ///< the ranks of each neighbour
};

/// Makes routes between each worker node and each server, in both directions. A message crosses the NICs of the two
/// nodes (where a NIC's directions share a limit, also the link for both), the leaf uplinks if it leaves a leaf, and
/// the server process's link if there is one. Between a worker and a server of the same node it crosses the loopback
/// (intra rate) in place of NICs. A neighbour's ranks have a NIC each and use the fabric's links.
ServerPlatform make_server_platform(const Machine& machine, const ServerMachine& servers,
                                    const std::vector<RingBeside>& beside = {});

} // namespace ddlsim
