#pragma once
// What a job loses to the neighbours of its scenario, which send over the same links between switches.

#include "sim/iteration/execution.hpp"
#include "sim/iteration/shared_fabric.hpp"
#include "sim/simgrid/fidelity.hpp"

namespace ddlsim {

/// A collective is ready when what it waits for has ended, or at its tick. An exchange with servers is one transfer,
/// from the first shard that is ready to the last that is back, of as many rounds as shards. A server pulls out a shard
/// when it has all copies, so that push and pull of its largest shard follow each other and the others overlap: the
/// connections are busy for (sum + largest)/sum of what they carry one way, as in the two-machine flow shop.
JobTraffic job_traffic(const Graph& graph, const Execution& alone);

struct NeighboursCost {
  double added_s = 0;   ///< to an iteration, in the mean over many
  double messages = 0;  ///< run on SimGrid
  const char* why = ""; ///< it is an approximation beyond rounds; "" where it is none
};

/// The mean over pairs of iterations that begin at eight moments of the longest neighbour's iteration, evenly spread.
/// On SimGrid: with every message, of rings, pairs and asynchronous servers, where `full` is requested; else by rounds.
/// Asynchronous servers are then the mean rate of up to four workers, evenly spread. No formula knows neighbours.
NeighboursCost neighbours_cost(const StepSetup& setup, const Parameters& sample, const JobTraffic& own, double rest_s,
                               Fidelity requested);

} // namespace ddlsim
