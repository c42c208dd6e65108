#pragma once
// What parameter servers add to an iteration.

#include "sim/compute/layer_times.hpp"
#include "sim/iteration/step.hpp"

#include <string>

namespace ddlsim {

/// Result of running one iteration's communication, by all-reduce or by servers.
struct CommunicationResult {
  double end_s = 0; ///< of the iteration, before straggling and the like
  std::string bottleneck = "communication";
  Choice choice;
  double mean_staleness = 0;   ///< ps-async only
  double simgrid_messages = 0; ///< that were run for it
};

/// One node whose servers live on it, or for which the preset starts none.
bool serves_itself(const StepSetup& setup, const Machine& machine);

/// The strategy's rule. One left open is the preset's in this sample, and so is "hash" where hash is one of the
/// preset's choices.
Sharding sharding_of(const StepSetup& setup, const Parameters& sample);

/// Cost of one screening run, in visits of a server's shard.
double work_of_servers(const StepSetup& setup, const Parameters& sample, const ComputeProfile& profile,
                       const Machine& machine);

/// Push, sum and pull of one synchronous iteration; node 0 computes `slowdown` times as long.
CommunicationResult run_servers(const StepSetup& setup, const Parameters& sample, const ComputeProfile& profile,
                                const Machine& machine, double slowdown, Fidelity requested);

/// What slows a worker beside its compute.
struct WorkerDelays {
  double overhead_s = 0; ///< before each compute
  double slowdown = 1;   ///< of compute on node 0
};

/// Steady state of workers that pull, compute and push for themselves: the end is their mean iteration, overhead
/// included.
CommunicationResult run_async_servers(const StepSetup& setup, const Parameters& sample, const ComputeProfile& profile,
                                      const Machine& machine, const WorkerDelays& delays, Fidelity requested);

} // namespace ddlsim
