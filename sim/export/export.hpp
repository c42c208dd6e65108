#pragma once
// Exports for other tools: an iteration as Chakra execution traces and as Chrome trace JSON, and a cluster as a SimGrid
// platform.

#include "sim/export/tracks.hpp"
#include "sim/iteration/step.hpp"

#include <string>
#include <vector>

namespace ddlsim {

// The graph of an iteration as Chakra execution traces (mlcommons/chakra), which ASTRA-sim and others replay.

/// One file, which all ranks of the role replay.
struct ChakraTrace {
  std::string role; ///< "worker", "slow-worker", "server-0" and so on
  std::string bytes;
};

/// Largest number of messages of all servers together; files with more messages would take gigabytes.
inline constexpr double most_server_messages = 1e6;

/// Returns a file for each role of the run's graph, and for each server. Compute has its undisturbed time, rounded so
/// that the operations of a stream sum to the stream's own time. Communication has bytes and no time, because other
/// tools simulate it. All-reduces are those that ran; fused ones are one. A node waits for the nodes that its operation
/// waits for and, where a stream runs in order, for the node before it.
///
/// Servers are ranks that come after the workers'. A worker sends a shard and receives it back. A synchronous server
/// receives a shard from every sender before it sends it to them; an asynchronous one answers each sender at once.
/// Where gradients are summed inside a node first (collectives of the group "node"), the node's first rank is the
/// sender, and the worker's file is that rank's. Throws UserError beyond most_server_messages.
std::vector<ChakraTrace> chakra_traces(const StepSetup& setup, const StepRun& run);

// A predicted iteration as Chrome trace JSON, which Perfetto and chrome://tracing show.

/// Returns tracks_of() as JSON, with a process for each group, a thread for each track, and one event on each line.
/// Times are in microseconds and whole picoseconds, so spans that touch in the prediction touch in the file. `scenario`
/// is the name that the trace shows.
std::string chrome_trace(const std::string& scenario, const PointRun& run);

// A cluster as a SimGrid platform file, for SimGrid's own tools and for programs under its MPI.

/// Returns platform XML (DTD 4.1) of the nodes that the setup uses. Nodes for servers alone come after the workers'.
/// A node is a host with one core for each GPU, each core as fast as the model runs on the GPU. Its NIC is a link in
/// each direction; the path between its GPUs is its loopback. Leaves of a fat-tree are clusters below an uplink in each
/// direction. On other fabrics (torus, dragonfly, several levels, static routes, rails that are changed, scattered
/// nodes) every switch with nodes is a cluster, and any two clusters have a route in each direction over the links that
/// ddlsim's own messages take. Rates and latencies are those that software reaches in this sample; each NIC has half of
/// the latency between two nodes. The file has the settings that decide SimGrid's times. It describes the cluster, so
/// it leaves out a scenario's slow node.
/// Throws UserError where a file with a route between any two switches would be too large, or where servers have no
/// place on the fabric.
std::string simgrid_platform(const StepSetup& setup, const Parameters& sample);

} // namespace ddlsim
