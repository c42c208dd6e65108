#pragma once
// What a node's GPUs do among themselves before gradients leave for the servers and after parameters are back.

#include "sim/formats/preset.hpp"
#include "sim/iteration/graph.hpp"
#include "sim/network/machine.hpp"

#include <cstddef>
#include <vector>

namespace ddlsim {

/// Which path between a node's g GPUs each tensor takes, by order of creation, and for how long: once to be summed and
/// once to come back.
///   one_gpu   a tensor is summed on one GPU, to which g - 1 others copy it; tensors go, largest first, to the GPU with
///             the fewest bytes so far, each GPU behind a path of its own (MXNet src/kvstore/comm.h, CommDevice), once
///             backward has ended. AlexNet's largest tensor, 151 MB, thus costs the same for every further GPU: on
///             p2.16xlarge 56 ms for the second and 54 ms a GPU up to the 16th, although backward takes 0.7 s
///   reduce_scatter  a reduce-scatter and an all-gather: (g - 1) / g of each tensor, one after another, beside backward
struct NodeReduction {
  OperationKind sum = OperationKind::reduce_scatter;
  OperationKind spread = OperationKind::all_gather;
  int paths = 1;
  std::vector<std::size_t> path;
  std::vector<double> passing_bytes; ///< of each tensor over its path, once
  double rate_Bps = 0;               ///< of a path; 0: nothing passes
  bool after_backward = false;
};
NodeReduction plan_node_reduction(const Preset& preset, const Machine& machine,
                                  const std::vector<double>& tensor_bytes);

} // namespace ddlsim
