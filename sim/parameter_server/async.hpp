#pragma once
// Asynchronous parameter server: no barrier between workers.

#include "sim/parameter_server/exchange.hpp"

#include <cstdint>

namespace ddlsim {

/// An exchange with asynchronous servers. Every worker repeats by itself: it pulls every shard, computes, and pushes
/// each shard as its gradient becomes ready; when its last push has arrived, it starts again. A worker is a node
/// (messages_per_node = 1: gradients are summed on the node first) or one of the node's GPUs. Servers apply a push at
/// once. Parameters that others pull meanwhile are a mixture of versions.
struct AsyncExchange {
  /// shards and their ready_s, from the start of a compute of mean length; slow_ready_s is not used
  ServerExchange exchange;
  double compute_s = 0; ///< mean time of forward and backward
  /// standard deviation of compute over its mean; each worker's iteration draws its own compute
  double compute_spread = 0;
  double slow_factor = 1; ///< compute on node 0 over compute_s; 1: no node is slow
  std::uint64_t seed = 1; ///< seed of the random draws in the full simulation
};

/// The steady state of asynchronous servers.
struct AsyncTiming {
  double updates_per_s = 0; ///< number of iterations of all workers together
  double iteration_s = 0;   ///< mean time of a worker's iteration: workers / updates_per_s
  /// Number of updates by other workers that a server applies to a parameter between a worker's pull of it and that
  /// worker's push. It is the mean over bytes.
  double mean_staleness = 0;
  int busiest_server = 0;
  /// share of time for which the busiest server's narrowest link is busy, in one direction
  double busiest_server_share = 0;
  double simgrid_messages = 0; ///< number of messages that SimGrid ran
};

/// Solves a closed queueing network by mean value analysis (Reiser and Lavenberg, J. ACM 27, 1980): workers are
/// customers, compute is a delay, and the busiest server is a processor-sharing station in each direction. With n
/// customers a transfer takes
///   R(n) = mean of max(alone, D (1 + met)), met = customers at the station in a network of n - 1 (arrival theorem)
/// D is its bytes / the server's rate, and alone is the time that the worker's NIC and connections need. Pushes that
/// overlap backward end at max over k of (ready_k + their share of R from k on). The result is exact for one server
/// without overlap, whatever the spread of compute: delays and processor sharing depend only on its mean (Baskett,
/// Chandy, Muntz and Palacios, J. ACM 22, 1975).
///
/// Where the two directions of a NIC share a limit, D is longer by the chance that another worker moves bytes in the
/// other direction.
///
/// The formula takes the workers' phases as independent. They are not where workers behind delay a worker ahead more
/// than it delays them: with pushes overlapped with backward (the last push of the worker ahead meets earlier pushes of
/// the others), and with unequal shards where the worker's NIC is narrower than its servers together. There workers
/// bunch up and queue, and the formula is too fast: `Executor::async_servers` has the error. It takes microseconds,
/// also for 16,384 workers.
AsyncTiming async_closed_form(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async);

/// Returns the exchange with fewer and larger pushes. Shards of a server that become ready one after another are pushed
/// together when the last of them is ready. Together they have at least an eighth of the server's bytes. The last push
/// of each server stays as it is, because it decides when the iteration ends.
AsyncExchange with_fewer_pushes(AsyncExchange async);

/// Returns the messages of one iteration of one worker: a pull from each server, and one push for all shards of a
/// server that are ready at the same moment.
double messages_of_iteration(const ServerExchange& exchange);

/// Throws std::invalid_argument when a rate in use, compute or slow_factor is not above zero, the spread is negative,
/// or ready_s is not as long as shards.
void require_usable(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async);

} // namespace ddlsim
