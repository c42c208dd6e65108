#pragma once
// The asynchronous parameter server as a closed queueing network: workers are the customers, compute is a delay, and
// the busiest server is a processor-sharing station in each direction. Everything else that slows a transfer limits the
// rate that it can use of the station: the worker's NIC, which its transfers to other servers use too, and the
// connection's ceiling.

#include "sim/parameter_server/async.hpp"

#include <cstddef>
#include <limits>
#include <vector>

namespace ddlsim {

inline constexpr double unlimited_Bps = std::numeric_limits<double>::infinity();

/// Bytes of a message that the worker moves to or from the busiest server while `flows` - 1 flows to other servers are
/// active.
struct AsyncSegment {
  double size_bytes = 0;
  int flows = 1;
};

/// A message to or from the busiest server.
struct AsyncMessage {
  double ready_s = 0; ///< time at which the message is ready, from the start of compute
  double size_bytes = 0;
  std::vector<AsyncSegment> segments;
};

struct AsyncNetwork {
  int workers = 1;
  int workers_per_node = 1;
  double server_Bps = 0;     ///< rate of the station in one direction
  double both_ways_Bps = 0;  ///< rate of both directions together; infinite where they share no limit
  double connection_Bps = 0; ///< ceiling of one flow
  double nic_Bps = 0;        ///< rate of a worker node's NIC, shared by its flows; 0: no worker leaves its node
  double delay_s = 0;        ///< latencies of pull and push in an iteration
  /// Earliest end of the last push to another server, from the start of compute, if that push has the links to itself.
  double others_end_s = 0;
  int busiest_server = 0;
  double total_bytes = 0;   ///< bytes of all servers
  double busiest_bytes = 0; ///< bytes of the busiest server, which is the station
  AsyncMessage pull;
  std::vector<AsyncMessage> pushes; ///< pushes in the order in which they become ready
  int serving_nodes = 0;            ///< number of worker nodes that host servers; 0: servers are on hosts of their own
  double host_bytes = 0;            ///< bytes of the servers on the busiest of these nodes
  double process_Bps = 0;           ///< rate of the server process; used with serving_nodes only
  double loopback_Bps = 0;          ///< rate of a node's loopback; used with serving_nodes only
};

AsyncNetwork build_async_network(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async);

/// Returns the time of the network's pull, or of all its pushes if they were ready at once, for a worker that has the
/// network to itself.
double alone_s(const AsyncNetwork& network, const AsyncMessage& message);

/// Returns the time of one transfer where servers share the workers' nodes. `hosting` says that the worker's own node
/// hosts servers. On average `with` other workers move bytes in the same direction, and `against` workers in the
/// opposite one.
double colocated_transfer_s(const AsyncNetwork& network, bool hosting, double with, double against);

} // namespace ddlsim
