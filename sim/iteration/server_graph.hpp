#pragma once
// Data parallelism by parameter servers: gradients are summed inside a node where the strategy says so, pushed, summed
// by servers, pulled, and spread inside the node again.

#include "sim/compute/layer_times.hpp"
#include "sim/formats/preset.hpp"
#include "sim/iteration/graph.hpp"
#include "sim/iteration/step.hpp"
#include "sim/network/machine.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

/// Whether the job is on one node that runs the servers itself, or for which the preset starts none.
bool serves_itself(const StepSetup& setup, const Machine& machine);

/// The strategy's rule of sharding. Where the strategy leaves it open, this sample picks among the preset's rules. It
/// does so too for "hash" where hash is one of them.
Sharding sharding_of(const StepSetup& setup, const Parameters& sample);

/// Cost of computing one run by the formulas, in visits of a server's shard.
double work_of_servers(const StepSetup& setup, const Parameters& sample, const ComputeProfile& profile,
                       const Machine& machine);

/// The graph of one synchronous iteration, in which node 0 computes `slowdown` times as long. On one machine without a
/// server the GPUs sum tensors among themselves. A single worker exchanges shards with servers on hosts of their own,
/// and not with a server on its own node.
Graph server_graph(const StepSetup& setup, const Parameters& sample, const ComputeProfile& profile,
                   const Machine& machine, double slowdown);

/// Changes the graph to that of another sample which places tensors on the same servers. Returns false where the graph
/// has to be built again.
bool time_server_graph(Graph& graph, const StepSetup& setup, const Parameters& sample, const ComputeProfile& profile,
                       const Machine& machine, double slowdown);

/// The delays in a worker's iteration.
struct WorkerDelays {
  double overhead_s = 0; ///< delay before each compute
  double slowdown = 1;   ///< factor on compute on node 0
};

/// The graph of one iteration of an asynchronous worker, which pulls, computes and pushes by itself. The pulled
/// parameters are spread inside the node before compute begins.
Graph async_server_graph(const StepSetup& setup, const Parameters& sample, const ComputeProfile& profile,
                         const Machine& machine, const WorkerDelays& delays);

/// Name of the exposed part of communication. With servers it is "server-software" where a server's process carries
/// less than its NIC, else "server-link"; without servers it is "communication".
std::string communication_part(const Graph& graph);

// The transfers among a node's GPUs before gradients leave for the servers, and after parameters are back.

/// The path between a node's g GPUs that each tensor takes, by order of creation, and the bytes that pass it: once for
/// the sum and once for the way back.
///   one_gpu   a tensor is summed on one GPU, to which g - 1 others copy it; tensors go, largest first, to the GPU with
///             the fewest bytes so far, each GPU having a path of its own (MXNet src/kvstore/comm.h, CommDevice), once
///             backward has ended. AlexNet's largest tensor, 151 MB, thus costs the same for every further GPU: on
///             p2.16xlarge 56 ms for the second and 54 ms a GPU up to the 16th, although backward takes 0.7 s
///   reduce_scatter  a reduce-scatter and an all-gather: (g - 1) / g of each tensor, one after another, during backward
struct NodeReduction {
  OperationKind reduce = OperationKind::reduce_scatter;
  OperationKind spread = OperationKind::all_gather;
  int paths = 1;
  std::vector<std::size_t> path;
  std::vector<double> passing_bytes; ///< bytes of each tensor on its path, one direction
  double rate_Bps = 0;               ///< rate of a path; 0: nothing passes
  bool after_backward = false;
};
/// Rate of a path between a node's GPUs; 0 where nothing passes.
double node_path_Bps(const Machine& machine);

NodeReduction plan_node_reduction(const Preset& preset, const Machine& machine,
                                  const std::vector<double>& tensor_bytes);

} // namespace ddlsim
