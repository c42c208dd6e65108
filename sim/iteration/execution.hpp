#pragma once
// Runs a graph of operations: when each starts and ends.

#include "sim/iteration/collective_times.hpp"
#include "sim/iteration/graph.hpp"
#include "sim/iteration/iteration_parts.hpp"
#include "sim/parameter_server/exchange.hpp"
#include "sim/simgrid/executor.hpp"
#include "sim/simgrid/fidelity.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace ddlsim {

struct Span {
  double start_s = 0;
  double end_s = 0;
};

/// One collective as it ran: one operation, or several that were fused into one message.
struct Collective {
  std::size_t first = 0; ///< number of the first of its operations
  int tensors = 0;
  double size_bytes = 0;
  Span span;
  CollectiveCost cost; ///< the algorithm, protocol and rates by which the library runs it
};

struct Execution {
  std::vector<Span> spans; ///< span of each operation; fused operations have the span of their collective
  std::vector<Collective> collectives;
  /// time of each operation at which servers have all copies of its shard; empty without servers
  std::vector<double> summed_s;
  /// end of the last operation but input; with asynchronous servers the mean time of a worker's iteration
  double end_s = 0;
  double input_end_s = 0;    ///< time at which storage and loader have the samples of the next iteration
  double mean_staleness = 0; ///< set for asynchronous servers only
  double simgrid_messages = 0;
};

/// Runs the operations in one pass. Each starts when its stream is free and all operations that it waits for have
/// ended:
///   compute      advances 1/(1 + interference) as fast beside a collective
///   collectives  run one after another: each is alone on its links, and `executor` times it by its size
///   paths        run operations of one kind together, in the order in which they are ready
///   connections  send all shards together, as `executor` shares links
/// With `fusion` the stream of collectives ticks: a tick collects all ready tensors and runs them. The next tick is a
/// cycle later, or when they are done. The loop that ticks is not in step with training. So a tensor that comes after
/// an idle tick waits half a cycle, the mean over all phases, and times do not jump with the phase.
Execution execute(const Graph& graph, const Executor& executor);

/// Runs the graph as closely as the requested fidelity allows; `choice` says how. A pass by the formulas finds the
/// collectives, SimGrid times all of them at once, and a pass with these times gives the iteration. These times decide
/// which tensors are fused. As long as a pass runs other collectives than the one before, SimGrid times them again.
Execution execute(const Graph& graph, Fidelity requested, Choice& choice);

/// Returns the seconds of each transfer of a graph, and the messages that SimGrid ran for them.
using TimeTransfers = std::function<SimulatedTimes(const std::vector<CollectiveRun>&)>;

/// Runs a graph with groups, whose roles send to each other (sim/iteration/execution_transfers.cpp); `execute` calls
/// it. Each transfer takes as long as alone on the links of its group. A send of S bytes is one step of a ring of two
/// ranks, the all-gather of 2 S bytes: S / rate and one latency. So every engine that times rings, SimGrid too, times
/// sends, with the library's protocols. Transfers do not slow compute.
Execution run_transfers(const Graph& graph, const TimeTransfers& time);
Execution run_transfers(const Graph& graph, const Executor& executor);

/// Returns when the last operation but input ends if no transfer takes time, seconds.
double end_without_network_s(const Graph& graph);

/// The time that each kind of transfer adds to the iteration. Their sum is the iteration's time less
/// end_without_network_s().
ExposedParts exposed_parts(const Graph& graph, const Execution& execution, double end_without_network_s);

/// The exchange of shards with servers that `execute` gives to its executor; formulas time the operations before it. It
/// is empty without servers.
ServerExchange find_exchange(const Graph& graph);

} // namespace ddlsim
