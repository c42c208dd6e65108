#pragma once
// Graphs of several roles that send to each other: each transfer takes what it takes alone on its group's links.

#include "sim/iteration/execution.hpp"
#include "sim/iteration/graph.hpp"
#include "sim/simgrid/executor.hpp"

namespace ddlsim {

/// One pass over a graph of compute, input and transfers. A send of S bytes is one step of a ring of two ranks, which moves
/// half of what such a ring's all-gather is told: S / rate and one latency. So whatever times halves of a ring times sends,
/// SimGrid among it, and knows the library's protocols. Compute is not slowed beside a transfer.
Execution run_transfers(const Graph& graph, const Executor& executor);

/// When the last operation but input ends if no transfer takes any time.
double end_without_network_s(const Graph& graph);

} // namespace ddlsim
