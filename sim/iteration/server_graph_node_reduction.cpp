#include "sim/iteration/server_graph.hpp"

#include <algorithm>
#include <numeric>

namespace ddlsim {
namespace {

std::vector<std::size_t> order_of(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

/// Assigns tensors to paths, the largest first, each to the path that has the fewest bytes so far. Of equal paths the
/// first is taken.
std::vector<std::size_t> fewest_bytes_first(const std::vector<double>& tensor_bytes, std::size_t paths) {
  auto order = order_of(tensor_bytes.size());
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return tensor_bytes[a] > tensor_bytes[b]; });
  std::vector<double> loads(paths, 0);
  std::vector<std::size_t> path(tensor_bytes.size());
  for (const std::size_t tensor : order) {
    path[tensor] = static_cast<std::size_t>(std::min_element(loads.begin(), loads.end()) - loads.begin());
    loads[path[tensor]] += tensor_bytes[tensor];
  }
  return path;
}

} // namespace

double node_path_Bps(const Machine& machine) {
  return machine.ranks_per_node > 1 && machine.intra_Bps > 0 ? machine.intra_Bps : 0;
}

NodeReduction plan_node_reduction(const Preset& preset, const Machine& machine,
                                  const std::vector<double>& tensor_bytes) {
  NodeReduction node;
  node.path.assign(tensor_bytes.size(), 0);
  node.passing_bytes.assign(tensor_bytes.size(), 0);
  node.rate_Bps = node_path_Bps(machine);
  if (node.rate_Bps == 0) return node;
  const double others = machine.ranks_per_node - 1;
  const bool on_one_gpu = preset.node_reduce == NodeReduce::one_gpu;
  const double copies = on_one_gpu ? others : others / machine.ranks_per_node;
  for (std::size_t t = 0; t < tensor_bytes.size(); ++t) node.passing_bytes[t] = copies * tensor_bytes[t];
  if (!on_one_gpu) return node;
  node.reduce = OperationKind::reduce;
  node.spread = OperationKind::broadcast;
  node.paths = machine.ranks_per_node;
  node.path = fewest_bytes_first(tensor_bytes, static_cast<std::size_t>(machine.ranks_per_node));
  node.after_backward = true;
  return node;
}

} // namespace ddlsim
