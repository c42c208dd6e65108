#pragma once
// The asynchronous parameter server as a closed queueing network: workers are the customers, compute is a delay, and
// the busiest server is a processor-sharing station in each direction. Everything else that slows a transfer (the
// worker's NIC with its other servers, the connection's ceiling) bounds what the transfer takes of the station.

#include "sim/parameter_server/async.hpp"

#include <cstddef>
#include <limits>
#include <vector>

namespace ddlsim {

inline constexpr double unlimited_Bps = std::numeric_limits<double>::infinity();

/// Bytes of a message that the worker moves to (or from) the busiest server beside `flows` - 1 flows of other servers.
struct AsyncSegment {
  double size_bytes = 0;
  int flows = 1;
};

/// A message of the busiest server.
struct AsyncMessage {
  double ready_s = 0; ///< from the start of compute
  double size_bytes = 0;
  std::vector<AsyncSegment> segments;
};

struct AsyncNetwork {
  int workers = 1;
  int workers_per_node = 1;
  double server_Bps = 0;     ///< what the station serves, one direction
  double both_ways_Bps = 0;  ///< the two directions of the station together; infinite where they do not meet
  double connection_Bps = 0; ///< most of one flow
  double nic_Bps = 0;        ///< a worker node's, shared by its flows; 0: no worker leaves its node
  double delay_s = 0;        ///< of an iteration: the latencies of pull and push
  double others_end_s = 0;   ///< earliest end of the last push to another server, alone, from the start of compute
  int busiest_server = 0;
  double total_bytes = 0;   ///< of all servers
  double busiest_bytes = 0; ///< of the station
  AsyncMessage pull;
  std::vector<AsyncMessage> pushes; ///< in order
  int serving_nodes = 0;            ///< worker nodes that servers share; 0: servers are hosts of their own
  double host_bytes = 0;            ///< of the servers on the busiest of them
  double process_Bps = 0;           ///< of the server process; with serving_nodes only
  double loopback_Bps = 0;          ///< of a node; with serving_nodes only
};

AsyncNetwork build_async_network(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async);

/// How long the network's pull, or all its pushes ready at once, take a worker that is alone.
double alone_s(const AsyncNetwork& network, const AsyncMessage& message);

/// Where servers share the workers' nodes: how long one transfer of a worker whose node hosts servers (or not) would
/// take if `with` other workers moved their bytes the same way and `against` the other way, all the time.
double colocated_transfer_s(const AsyncNetwork& network, bool hosting, double with, double against);

} // namespace ddlsim
