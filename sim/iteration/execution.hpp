#pragma once
// A graph of operations in time.

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

/// What the stream of collectives ran: one of its operations, or several that were fused.
struct Collective {
  std::size_t first = 0; ///< operation
  int tensors = 0;
  double size_bytes = 0;
  Span span;
  CollectiveCost cost; ///< how the library runs it
};

struct Execution {
  std::vector<Span> spans; ///< of each operation; fused ones have the span of their collective
  std::vector<Collective> collectives;
  std::vector<double> summed_s; ///< of each operation: when servers have all copies of its shard; empty without any
  double end_s = 0;             ///< of the last operation but input; of asynchronous servers a worker's mean iteration
  double input_end_s = 0;       ///< when the samples of the next iteration are there
  double mean_staleness = 0;    ///< asynchronous servers only
  double simgrid_messages = 0;
};

/// One pass over the operations. Each starts when its stream is free and what it waits for has ended:
///   compute      beside a collective it advances 1/(1 + interference) as fast
///   collectives  one after another: each is alone on its links, and `executor` times it by its size
///   paths        those of one kind together; what is ready first goes first
///   connections  all shards together, as `executor` shares links
/// With `fusion` the stream of collectives ticks: a tick collects what is ready and runs it; the next tick is a cycle
/// later, or when that is done. The loop that ticks is not in step with training. So a tensor that comes after an idle
/// tick waits half a cycle, the mean over all phases, and times do not jump with the phase.
Execution execute(const Graph& graph, const Executor& executor);

/// Runs the graph as closely as the requested fidelity allows; `choice` says how. A pass by the formulas finds the
/// collectives, SimGrid times all of them at once, and a pass with these times gives the iteration. What is fused
/// together depends on how long others take: while a pass runs other collectives than the one before, they are timed
/// again.
Execution execute(const Graph& graph, Fidelity requested, Choice& choice);

/// Seconds of each of a graph's transfers, and the messages that SimGrid ran for them.
using TimeTransfers = std::function<SimulatedTimes(const std::vector<CollectiveRun>&)>;

/// The pass of `execute` over a graph with groups, whose roles send to each other (sim/iteration/transfers.cpp): each
/// transfer takes as long as it takes alone on the links of its group. A send of S bytes is one step of a ring of two
/// ranks, the all-gather of 2 S bytes: S / rate and one latency. So what times rings times sends, SimGrid among them,
/// by the library's protocols. Transfers do not slow compute.
Execution run_transfers(const Graph& graph, const TimeTransfers& time);
Execution run_transfers(const Graph& graph, const Executor& executor);

/// When the last operation but input ends if no transfer takes any time.
double end_without_network_s(const Graph& graph);

/// By kind of transfer; together the iteration less end_without_network_s().
ExposedParts exposed_parts(const Graph& graph, const Execution& execution, double end_without_network_s);

/// The exchange of all shards that `execute` leaves to its executor, by formulas up to there; empty without servers.
ServerExchange find_exchange(const Graph& graph);

} // namespace ddlsim
