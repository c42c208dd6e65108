#pragma once
// Asynchronous servers with fewer workers and servers, so that a run on SimGrid takes about a second at any scale.

#include "sim/parameter_server/async.hpp"

namespace ddlsim {

/// Number of workers above which workers are grouped.
inline constexpr int most_run_workers = 64;

/// What SimGrid runs in place of all workers and servers.
struct AsyncGroups {
  Machine machine;
  ServerMachine servers;
  AsyncExchange async;  ///< the exchange, with fewer pushes
  int rounds = 1;       ///< number of rounds to run
  bool is_whole = true; ///< whether every worker and every server is run
};

/// Returns every worker and server, or as many as SimGrid runs in about a second; that time is estimated from the
/// number of messages, not measured. The run has at most `most_workers` workers. A worker of the run keeps its bytes,
/// its NIC and its connections, and stands for G = workers / workers of the run:
///   dedicated servers   a server's process and its host's NIC have 1/G of their rate; where there are more than four
///                       servers, some are merged until there are as many for each worker as before
///   colocated servers   the same share of the nodes has a server as before, and it holds what the servers of G such
///                       nodes hold; servers on fewer than a twentieth of the nodes are run as dedicated ones, because
///                       few workers share a node with them
///   leaves              have 1/G of their nodes and of their uplinks' rate
///   a slow node         is slower by 1/G of the difference
/// Servers that are merged are neighbours in the order of their bytes, so the busiest stay the busiest.
AsyncGroups group_asynchronous(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async,
                               int most_workers = most_run_workers);

} // namespace ddlsim
