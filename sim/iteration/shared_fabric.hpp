#pragma once
// A job and its neighbours on the links between switches that they share: who sends to whom, over which links.

#include "sim/neighbours/jobs.hpp"
#include "sim/parameter_server/async.hpp"
#include "sim/simgrid/neighbours_run.hpp"

#include <optional>
#include <vector>

namespace ddlsim {

struct Parameters;
struct StepSetup;

/// Pattern in which a collective sends between nodes; reductions by the switches count as a ring.
TrafficPattern pattern_of(const CollectiveKind& collective);

/// Asynchronous servers, as they run without neighbours.
struct AsyncServers {
  ServerMachine servers;
  AsyncExchange exchange;
  double iteration_s = 0; ///< of a worker, mean
};

/// The messages of one iteration of a job that runs alone, read off an execution.
struct JobTraffic {
  std::vector<Transfer> transfers{};             ///< their edge_bytes are the bytes that one node's NIC sends
  std::vector<double> vectors_bytes{};           ///< of each transfer that is an all-reduce: its vector on the wire
  double compute_s = 0;                          ///< until the last operation of compute ends
  TrafficPattern pattern = TrafficPattern::ring; ///< pattern in which most bytes travel
  bool inside_too = false;                       ///< the ring passes every GPU of a node, and not every node once
  /// Node of each parameter server that has shards; numbers beyond the job's nodes are hosts of their own. Empty
  /// without servers.
  std::vector<int> server_hosts{};
  int connections_per_node = 1;               ///< to each server
  std::optional<AsyncServers> asynchronous{}; ///< where no worker waits for another
};

/// All jobs on the links that they share, the setup's first. A double tree has the edges of both trees, each with an
/// eighth of the bytes that the NIC of an inner node sends and receives. Halving-doubling and recursive doubling go
/// step by step: each distance between nodes is a pattern of its own with its own bytes; nodes beyond a power of two
/// first give their vector to a neighbour. Servers have one push and one pull at a time on each connection between two
/// nodes; every connection has as many bytes as one connection of the busiest NIC.
struct SharedFabric {
  std::vector<SharedLink> links{};
  std::vector<Job> jobs{};
  std::size_t own_jobs = 1; ///< number of the setup's own jobs, which come first
  /// The same jobs for runs with every message; empty where one of them is a tree, or has servers.
  std::vector<RingJob> rings{};
};

/// Puts the setup's job and its neighbours on the fabric. All jobs start together. `rest_s` passes between the last
/// operation of an iteration and the next iteration.
SharedFabric shared_fabric(const StepSetup& setup, const Parameters& sample, const JobTraffic& own, double rest_s);

/// Asynchronous servers as the worker of one node sees them. The setup has two jobs: that worker, and an endless stream
/// for the traffic of the other workers. On average their connections are busy in the share of an iteration in which a
/// worker does not compute.
SharedFabric shared_fabric_of_worker(const StepSetup& setup, const Parameters& sample, const JobTraffic& own,
                                     int worker);

/// Returns the fabric with the setup's jobs only.
SharedFabric alone_on(SharedFabric shared);

/// A machine with the nodes of all jobs: first the setup's, then hosts of servers, then the neighbours one after
/// another. Runs of asynchronous servers with every message use it.
Machine machine_with_neighbours(const StepSetup& setup, const Parameters& sample, const JobTraffic& own);

} // namespace ddlsim
