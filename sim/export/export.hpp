#pragma once
// What other tools read: an iteration as Chakra execution traces and as Chrome trace JSON, a cluster as a SimGrid
// platform.

#include "sim/export/tracks.hpp"
#include "sim/iteration/step.hpp"

#include <string>
#include <vector>

namespace ddlsim {

// The graph of an iteration as Chakra execution traces (mlcommons/chakra), which ASTRA-sim and others replay.

/// One file: all ranks of the role run what it says.
struct ChakraTrace {
  std::string role; ///< worker, slow-worker, server-0, ...
  std::string bytes;
};

/// Most messages of all servers together; beyond, their files would be gigabytes.
inline constexpr double most_server_messages = 1e6;

/// A file for each role of the run's graph, and for each server. Compute has its time without disturbance, rounded so
/// that a stream's operations sum to its own; communication has bytes and no time: others simulate it. All-reduces are
/// those that ran, fused ones as one. A node waits for what its operation waits for and, where a stream runs in order,
/// for the one before it.
///
/// Servers are ranks behind the workers': a worker sends a shard and receives it back; a server receives it from every
/// sender before it sends it to them, or answers each at once where servers are asynchronous. Where gradients are
/// summed inside a node first (collectives of the group "node"), its first rank is the sender: the worker's file is
/// that one's. Throws UserError beyond most_server_messages.
std::vector<ChakraTrace> chakra_traces(const StepSetup& setup, const StepRun& run);

// A predicted iteration as Chrome trace JSON, which Perfetto and chrome://tracing show.

/// tracks_of(), a process for each group and a thread for each track, one event a line. Times are microseconds, in
/// whole picoseconds, so that what touches in the prediction touches in the file. `scenario` names the question.
std::string chrome_trace(const std::string& scenario, const PointRun& run);

// A cluster as a SimGrid platform file: what SimGrid's own tools, and programs under its MPI, read.

/// Platform XML (DTD 4.1) of the nodes that the setup takes, those for servers alone behind the workers'. A node is a
/// host of one core a GPU, each as fast as the model runs on it; its NIC is a link each way; the path between its GPUs
/// is its loopback; leaves of a fat-tree are clusters under an uplink each way. Elsewhere (torus, dragonfly, several
/// levels, static routes, rails that are changed, scattered nodes) every switch with nodes is a cluster, and any two
/// have a way each way over the links that ddlsim's own messages take. Rates and latencies are those that
/// software reaches in this sample, and half of a crossing's latency is at each NIC. The settings that decide SimGrid's
/// times stand in the file. A scenario's slow node is not in it: the file is of the cluster.
/// Throws UserError where a way between any two switches would be more than a file holds, or servers have no place.
std::string simgrid_platform(const StepSetup& setup, const Parameters& sample);

} // namespace ddlsim
