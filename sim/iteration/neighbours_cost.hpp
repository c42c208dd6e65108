#pragma once
// The time that a job loses to the neighbours of its scenario, which send over the same links between switches.

#include "sim/iteration/execution.hpp"
#include "sim/iteration/shared_fabric.hpp"
#include "sim/simgrid/fidelity.hpp"

namespace ddlsim {

/// Returns what a job sends in one iteration. A collective is ready when everything that it waits for has ended, or at
/// its tick. An exchange with servers is one transfer, from the first ready shard to the last one that is back, with as
/// many rounds as shards. A server sends a shard back when it has all copies. So push and pull of its largest shard
/// follow each other, and all other shards overlap. The connections are then busy for (sum + largest)/sum of the time
/// that they need for one direction, as in the two-machine flow shop.
JobTraffic job_traffic(const Graph& graph, const Execution& alone);

struct NeighboursCost {
  double added_s = 0;   ///< time added to an iteration, the mean over many
  double messages = 0;  ///< number of messages that SimGrid ran
  const char* why = ""; ///< why it is a coarser approximation than rounds; "" where it is as fine
};

/// Returns the mean cost over pairs of iterations that begin at eight evenly spaced moments of the longest neighbour's
/// iteration. SimGrid runs them, because no formula covers neighbours: with every message where `full` is requested and
/// all jobs are rings, pairs or asynchronous servers, else by rounds. By rounds, asynchronous servers have the mean
/// rate of up to four evenly spaced workers.
NeighboursCost neighbours_cost(const StepSetup& setup, const Parameters& sample, const JobTraffic& own, double rest_s,
                               Fidelity requested);

} // namespace ddlsim
