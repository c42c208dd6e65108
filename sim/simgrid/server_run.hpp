#pragma once
// An exchange with servers on SimGrid: two actors a connection. For every connection, or for one of each class.

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

/// Where one shard stands.
struct ShardOnServer {
  std::uint64_t units = 0;
  double ready_s = 0;      ///< on every worker
  double slow_ready_s = 0; ///< on node 0
  int copies_to_come = 0;
  double summed_s = 0;                    ///< when the last copy so far was in
  simgrid::s4u::SemaphorePtr all_in = {}; ///< opened once for each connection that waits
  int waiting = 0;
  int copies_to_give = 0;
  double pulled_s = 0;
};

/// One process of a worker node and one server. Each direction has an actor that sends its shards in order, and that is
/// the receiver of the other's.
struct ShardConnection {
  simgrid::s4u::Host* worker = nullptr;
  simgrid::s4u::Host* server = nullptr;
  std::string name; ///< no other connection's
  double delay_s = 0;
  bool from_slow_node = false;
  double most_Bps = 0; ///< of one message; 0: no ceiling
  std::vector<ShardOnServer*> shards = {};
};

/// Shards as the exchange has them, of which no copy is under way yet; as many copies as add_copies() counts.
std::vector<ShardOnServer> make_shards(const Machine& machine, const ServerMachine& servers,
                                       const ServerExchange& exchange);

/// The shards of the connection have one copy more to take in and to give out.
void add_copies(const ShardConnection& connection);

/// When each shard was summed, then when each was pulled, in the order of the pointers.
std::vector<double> times_of(const std::vector<const ShardOnServer*>& shards);

/// Runs all connections beside each other; the number of messages. Times are in the shards.
double run_connections(const std::vector<ShardConnection>& connections);

// Workers, servers and the links between them as a SimGrid platform.

struct ServerPlatform {
  std::vector<simgrid::s4u::Host*> workers;  ///< one a worker node
  std::vector<simgrid::s4u::Host*> servers;  ///< one a server process, also where it shares a worker's node
  std::vector<std::vector<RingRank>> beside; ///< of each neighbour
};

/// Routes exist between each worker node and each server, both ways. A message passes the NICs of the two nodes
/// (where a NIC's ways meet, also the link that has both), the leaf uplinks if it leaves a leaf, and the server process's link if there is one. Between a worker and a server of
/// the same node it takes the loopback (intra rate) instead of NICs. A neighbour's ranks have a NIC each and the ways
/// of the fabric.
ServerPlatform make_server_platform(const Machine& machine, const ServerMachine& servers,
                                    const std::vector<RingBeside>& beside = {});

} // namespace ddlsim
