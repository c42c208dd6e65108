#pragma once
// What a node's GPUs do among themselves before gradients leave for the servers and after parameters are back.

#include "sim/formats/preset.hpp"
#include "sim/network/machine.hpp"
#include "sim/parameter_server/exchange.hpp"
#include "sim/simgrid/fidelity.hpp"

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
  std::vector<std::size_t> path;
  std::vector<double> passing_bytes; ///< of each tensor over its path, once
  double rate_Bps = 0;               ///< of a path; 0: nothing passes
  bool after_backward = false;

  double busy_s(std::size_t tensor) const { return rate_Bps > 0 ? passing_bytes[tensor] / rate_Bps : 0; }
};
NodeReduction plan_node_reduction(const Preset& preset, const Machine& machine,
                                  const std::vector<double>& tensor_bytes);

/// Tensors on the paths inside a node: by the formula, or on SimGrid, whose messages are counted.
class NodePaths {
public:
  explicit NodePaths(Fidelity fidelity) : fidelity_(fidelity) {}

  /// When each tensor is summed: a path takes them in the order of `order`, each from `ready_s` on.
  std::vector<double> pass(const NodeReduction& node, const std::vector<std::size_t>& order,
                           const std::vector<double>& ready_s);

  /// When the node's last GPU has the last tensor; tensors come back in the order in which their last shard was pulled.
  double spread_end_s(const NodeReduction& node, const ServerExchange& exchange, const ServerExchangeTiming& timing);

  double simgrid_messages() const { return simgrid_messages_; }

private:
  Fidelity fidelity_;
  double simgrid_messages_ = 0;
};

} // namespace ddlsim
