#pragma once
// A job and its neighbours on the links between switches that they share: who sends to whom, over what.

#include "sim/neighbours/jobs.hpp"
#include "sim/parameter_server/async.hpp"
#include "sim/simgrid/neighbours_run.hpp"

#include <optional>
#include <vector>

namespace ddlsim {

struct Parameters;
struct StepSetup;

/// Who sends to whom between nodes; a ring also where switches sum.
TrafficPattern pattern_of(const CollectiveKind& collective);

/// Asynchronous servers, as they run without neighbours.
struct AsyncServers {
  ServerMachine servers;
  AsyncExchange exchange;
  double iteration_s = 0; ///< of a worker, mean
};

/// What a job sends in an iteration, as it runs alone: read off an execution.
struct JobTraffic {
  std::vector<Transfer> transfers{};             ///< edge_bytes: what one node's NIC sends
  std::vector<double> vectors_bytes{};           ///< of each transfer that is an all-reduce: its vector on the wire
  double compute_s = 0;                          ///< until the last operation of compute ends
  TrafficPattern pattern = TrafficPattern::ring; ///< that most bytes travel in
  bool inside_too = false;                       ///< the ring passes every GPU of a node, and not every node once
  /// Of each parameter server that has shards, the node it is on; those behind the job's nodes are hosts of their own.
  /// Empty where ranks sum.
  std::vector<int> server_hosts{};
  int connections_per_node = 1;               ///< to each server
  std::optional<AsyncServers> asynchronous{}; ///< where no worker waits for another
};

/// All jobs on the links that they share, the setup's first. A double tree is the edges of both trees, each with an
/// eighth of what the NIC of an inner node moves both ways. Halving-doubling and recursive doubling go step by step:
/// each distance of the nodes is a pattern of its own, with the bytes that it has; nodes that are no power of two first
/// give their vector to a neighbour. Servers are a push and a pull at a time on each connection between two nodes, all
/// connections with as many bytes as the busiest NIC carries on each of its own.
struct SharedFabric {
  std::vector<SharedLink> links{};
  std::vector<Job> jobs{};
  std::size_t own_jobs = 1; ///< the first ones, which are the setup's
  /// Of the same jobs, for runs with every message; empty where one of them is a tree, or has servers.
  std::vector<RingJob> rings{};
};

/// All jobs start together. `rest_s` passes between the end of an iteration's operations and the next one.
SharedFabric shared_fabric(const StepSetup& setup, const Parameters& sample, const JobTraffic& own, double rest_s);

/// Asynchronous servers as the worker of one node sees them: two jobs, that worker, and a stream that never ends of
/// what the others have under way on average: of their connections the share of an iteration in which a worker is not
/// computing.
SharedFabric shared_fabric_of_worker(const StepSetup& setup, const Parameters& sample, const JobTraffic& own,
                                     int worker);

/// The setup's jobs without the others.
SharedFabric alone_on(SharedFabric shared);

/// Every node of all jobs, those of the setup's first, then hosts of servers, then the neighbours one after another;
/// for runs with every message of asynchronous servers.
Machine machine_with_neighbours(const StepSetup& setup, const Parameters& sample, const JobTraffic& own);

} // namespace ddlsim
