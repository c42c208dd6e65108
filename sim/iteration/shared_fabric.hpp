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

/// The pattern in which a collective sends between nodes. Reductions by the switches count as a ring.
TrafficPattern pattern_of(const CollectiveKind& collective);

/// Asynchronous servers and the pace of their workers, as they run without neighbours.
struct AsyncServers {
  ServerMachine servers;
  AsyncExchange exchange;
  double iteration_s = 0; ///< mean time of a worker's iteration
};

/// The messages of one iteration of a job that runs alone, taken from an execution.
struct JobTraffic {
  std::vector<Transfer> transfers{};   ///< transfers, whose edge_bytes are the bytes that one node's NIC sends
  std::vector<double> vectors_bytes{}; ///< bytes on the wire of the vector of each transfer that is an all-reduce
  double compute_s = 0;                ///< end of the last operation of compute
  TrafficPattern pattern = TrafficPattern::ring; ///< the pattern in which most bytes travel
  bool inside_too = false;                       ///< the ring passes every GPU of a node, and not only every node
  /// Node of each parameter server that has shards. Numbers beyond the job's nodes are hosts of their own. Empty
  /// without servers.
  std::vector<int> server_hosts{};
  int connections_per_node = 1;               ///< number of a node's connections to each server
  std::optional<AsyncServers> asynchronous{}; ///< set where no worker waits for another
};

/// All jobs on the links that they share; the setup's jobs come first.
/// A double tree has the edges of both trees, each with an eighth of the bytes that the NIC of an inner node sends and
/// receives. Halving-doubling and recursive doubling go step by step: each distance between nodes is a pattern of its
/// own with its own bytes, and nodes beyond a power of two first give their vector to a neighbour. Servers have one
/// push and one pull at a time on each connection between two nodes. Every connection has as many bytes as one
/// connection of the busiest NIC.
struct SharedFabric {
  std::vector<SharedLink> links{};
  std::vector<Job> jobs{};
  std::size_t own_jobs = 1; ///< number of the setup's own jobs, which come first
  /// The same jobs as rings, for runs with every message. Empty where one of them is a tree, or has servers.
  std::vector<RingJob> rings{};
};

/// Puts the setup's job and its neighbours on the fabric. All jobs start together. After the last operation of an
/// iteration `rest_s` passes before the next one begins.
SharedFabric shared_fabric(const StepSetup& setup, const Parameters& sample, const JobTraffic& own, double rest_s);

/// Asynchronous servers as the worker of one node sees them. The setup then has two jobs: that worker, and an endless
/// stream for the traffic of the other workers. On average the stream's connections are busy for the share of an
/// iteration in which a worker does not compute.
SharedFabric shared_fabric_of_worker(const StepSetup& setup, const Parameters& sample, const JobTraffic& own,
                                     int worker);

/// Returns the fabric with the setup's jobs only.
SharedFabric alone_on(SharedFabric shared);

/// A machine with the nodes of all jobs: first the setup's nodes, then hosts of servers, then each neighbour's nodes.
/// Runs of asynchronous servers with every message use it.
Machine machine_with_neighbours(const StepSetup& setup, const Parameters& sample, const JobTraffic& own);

} // namespace ddlsim
