#pragma once
// Data parallelism by parameter servers: gradients are summed inside a node where the strategy says so, pushed, summed
// by servers, pulled, and spread inside the node again.

#include "sim/compute/layer_times.hpp"
#include "sim/iteration/graph.hpp"
#include "sim/iteration/step.hpp"

#include <string>

namespace ddlsim {

/// One node whose servers live on it, or for which the preset starts none.
bool serves_itself(const StepSetup& setup, const Machine& machine);

/// The strategy's rule. One left open is the preset's in this sample, and so is "hash" where hash is one of the
/// preset's choices.
Sharding sharding_of(const StepSetup& setup, const Parameters& sample);

/// Cost of one screening run, in visits of a server's shard.
double work_of_servers(const StepSetup& setup, const Parameters& sample, const ComputeProfile& profile,
                       const Machine& machine);

/// One synchronous iteration; node 0 computes `slowdown` times as long. On one machine for which no server is started
/// tensors are summed among its GPUs alone.
Graph server_graph(const StepSetup& setup, const Parameters& sample, const ComputeProfile& profile,
                   const Machine& machine, double slowdown);

/// What slows a worker beside its compute.
struct WorkerDelays {
  double overhead_s = 0; ///< before each compute
  double slowdown = 1;   ///< of compute on node 0
};

/// An iteration of a worker that pulls, computes and pushes for itself. What is pulled last is spread inside the node
/// before compute begins.
Graph async_server_graph(const StepSetup& setup, const Parameters& sample, const ComputeProfile& profile,
                         const Machine& machine, const WorkerDelays& delays);

/// What the exposed part of communication is called: with servers "server-software" where a server's process carries
/// less than its NIC, else "server-link"; without "communication".
std::string communication_part(const Graph& graph);

} // namespace ddlsim
