#pragma once
// The graph of an iteration as Chakra execution traces (mlcommons/chakra), which ASTRA-sim and others replay.

#include "sim/iteration/step.hpp"

#include <string>
#include <vector>

namespace ddlsim {

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
/// sender before it sends it to them, or answers each at once where servers are asynchronous. Where gradients are summed
/// inside a node first (collectives of the group "node"), its first rank is the sender: the worker's file is that one's.
/// Throws UserError beyond most_server_messages.
std::vector<ChakraTrace> chakra_traces(const StepSetup& setup, const StepRun& run);

} // namespace ddlsim
