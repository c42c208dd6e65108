#pragma once
// What a job loses to the neighbours of its scenario, which send over the same links between switches.

#include "sim/iteration/execution.hpp"
#include "sim/neighbours/jobs.hpp"
#include "sim/simgrid/fidelity.hpp"
#include "sim/simgrid/neighbours_run.hpp"

#include <vector>

namespace ddlsim {

struct StepSetup;

/// What a job sends in an iteration, as it runs alone: read off an execution.
struct OwnTraffic {
  std::vector<Transfer> transfers{}; ///< edge_bytes: what one node's NIC sends
  double compute_s = 0;              ///< until the last operation of compute ends
  bool by_tree = false;              ///< most bytes travel on double trees; else on a ring, or are taken as on one
  bool inside_too = false;           ///< the ring passes every GPU of a node, and not every node once
  /// Of each parameter server that has shards, the node it is on; those behind the job's nodes are hosts of their own.
  /// Empty where ranks sum.
  std::vector<int> server_hosts{};
  int connections_per_node = 1; ///< to each server
};

/// A collective is ready when what it waits for has ended, or at its tick. An exchange with servers is one transfer,
/// from the first shard that is ready to the last that is back, of as many rounds as shards. A server pulls out a shard
/// when it has all copies, so that push and pull of its largest shard follow each other and the others overlap: the
/// connections are busy for (sum + largest)/sum of what they carry one way, as in the two-machine flow shop.
OwnTraffic own_traffic(const Graph& graph, const Execution& alone);

/// All jobs on the links that they share, the setup's first. A double tree is the edges of both trees, each with an
/// eighth of what the NIC of an inner node moves both ways; halving-doubling and recursive doubling count as the ring
/// that moves as many bytes through a NIC. Servers are a push and a pull at a time on each connection between two
/// nodes, all connections with as many bytes as the busiest NIC carries on each of its own.
struct SharedFabric {
  std::vector<SharedLink> links{};
  std::vector<Job> jobs{};
  std::vector<RingJob>
      rings{}; ///< of the same jobs, for runs with every message; empty where the first is a tree, or has servers
};

/// All jobs start together. `rest_s` passes between the end of an iteration's operations and the next one.
SharedFabric shared_fabric(const StepSetup& setup, const Parameters& sample, const OwnTraffic& own, double rest_s);

struct NeighboursCost {
  double added_s = 0;  ///< to an iteration, in the mean over many
  double messages = 0; ///< run on SimGrid
  double faster_s = 0; ///< a run with every message may add so much less, and at least nothing
  double slower_s = 0; ///< or so much more: the range of rounds_gap, of the time that the job's messages take
};

/// The mean over pairs of iterations that begin at eight moments of the longest neighbour's iteration, evenly spread.
/// Screening and closed_form: by formula. Full: every message, on a ring. Else by rounds on SimGrid; more than 500
/// connections of servers on one link are too many for them, and go by formula.
NeighboursCost beside_neighbours(const StepSetup& setup, const Parameters& sample, const OwnTraffic& own, double rest_s,
                                 Fidelity requested);

} // namespace ddlsim
