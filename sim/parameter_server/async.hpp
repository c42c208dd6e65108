#pragma once
// Asynchronous parameter server: no barrier between workers.

#include "sim/parameter_server/exchange.hpp"

#include <cstdint>

namespace ddlsim {

/// What every worker repeats for itself: pull every shard, compute, push each shard as its gradient becomes ready; once
/// the last push is in, start over. A worker is a node (messages_per_node = 1: gradients are summed there first) or one
/// of the node's GPUs. Servers apply a push at once; parameters pulled meanwhile by others are a mixture of versions.
struct AsyncExchange {
  ServerExchange exchange;   ///< ready_s from the start of compute, at its mean; slow_ready_s is not used
  double compute_s = 0;      ///< mean of forward and backward
  double compute_spread = 0; ///< standard deviation as a share of the mean; drawn for each worker and iteration
  double slow_factor = 1;    ///< what compute takes on node 0, in units of compute_s; 1: no node is slow
  std::uint64_t seed = 1;    ///< of the draws in the full simulation
};

/// The steady state.
struct AsyncTiming {
  double updates_per_s = 0; ///< iterations of all workers together
  double iteration_s = 0;   ///< of a worker, mean: workers / updates_per_s
  /// Updates of other workers that a parameter has seen between a worker's pull of it and that worker's push of it
  /// being applied; mean over bytes.
  double mean_staleness = 0;
  int busiest_server = 0;
  double busiest_server_share = 0; ///< of time that its narrowest link is busy, in one direction
  double simgrid_messages = 0;     ///< that were run for it
};

/// Closed queueing network by mean value analysis (Reiser and Lavenberg, J. ACM 27, 1980): workers are customers,
/// compute a delay, the busiest server a processor-sharing station in each direction. With n customers a transfer takes
///   R(n) = mean of max(alone, D (1 + met)), met = customers that a network of n - 1 has there (arrival theorem)
/// D = its bytes / the server's rate, alone = what the worker's NIC and connections need; pushes that overlap backward
/// end at max over k of (ready_k + their share of R from k on). Exact for one server without overlap, whatever the
/// spread: delays and processor sharing are insensitive to it (Baskett, Chandy, Muntz and Palacios, J. ACM 22, 1975).
///
/// Where a NIC's ways meet, D is longer by the chance that somebody moves bytes the other way.
///
/// It takes the workers' phases as independent. They are not where a worker that is ahead is delayed more by those
/// behind than they by it: pushes overlapped with backward (its last push meets their earlier ones), and unequal shards
/// where the worker's NIC is narrower than its servers together. There workers gather and queue, and the formula is too
/// fast: `Executor::async_servers` has the gap. Microseconds, also for 16,384 workers.
AsyncTiming async_closed_form(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async);

/// The same with fewer, larger pushes: shards of a server that become ready one after another go together when the last
/// of them is ready, an eighth of the server's bytes at least. The last push of each server stays as it is: it
/// decides when the iteration ends.
AsyncExchange with_fewer_pushes(AsyncExchange async);

/// Messages of an iteration of one worker: a pull from each server, and a push for all shards of a server that are
/// ready at one moment.
double messages_of_iteration(const ServerExchange& exchange);

/// Throws std::invalid_argument when a rate in use, compute or slow_factor is not above zero, the spread is negative,
/// or ready_s is not as long as shards.
void require_usable(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async);

} // namespace ddlsim
