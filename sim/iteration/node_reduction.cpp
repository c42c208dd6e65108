#include "sim/iteration/node_reduction.hpp"

#include "sim/simgrid/engine.hpp"

#include <algorithm>
#include <numeric>

namespace ddlsim {
namespace {

std::vector<std::size_t> order_of(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

/// Largest first, each to the path with the fewest bytes so far, the first of equals.
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

NodeReduction plan_node_reduction(const Preset& preset, const Machine& machine,
                                  const std::vector<double>& tensor_bytes) {
  NodeReduction node;
  node.path.assign(tensor_bytes.size(), 0);
  node.passing_bytes.assign(tensor_bytes.size(), 0);
  const double others = machine.ranks_per_node - 1;
  if (others <= 0 || machine.intra_Bps <= 0) return node;
  const bool on_one_gpu = preset.node_reduce == NodeReduce::one_gpu;
  const double copies = on_one_gpu ? others : others / machine.ranks_per_node;
  for (std::size_t t = 0; t < tensor_bytes.size(); ++t) node.passing_bytes[t] = copies * tensor_bytes[t];
  node.rate_Bps = machine.intra_Bps;
  if (!on_one_gpu) return node;
  node.path = fewest_bytes_first(tensor_bytes, static_cast<std::size_t>(machine.ranks_per_node));
  node.after_backward = true;
  return node;
}

std::vector<double> NodePaths::pass(const NodeReduction& node, const std::vector<std::size_t>& order,
                                    const std::vector<double>& ready_s) {
  if (!(node.rate_Bps > 0)) return ready_s;
  std::vector<PathMessage> messages;
  for (const std::size_t tensor : order)
    messages.push_back({node.path[tensor], ready_s[tensor], node.passing_bytes[tensor]});
  const auto passed = time_paths(messages, node.rate_Bps, fidelity_);
  simgrid_messages_ += passed.messages;
  std::vector<double> passed_s(ready_s.size());
  for (std::size_t i = 0; i < order.size(); ++i) passed_s[order[i]] = passed.times_s[i];
  return passed_s;
}

double NodePaths::spread_end_s(const NodeReduction& node, const ServerExchange& exchange,
                               const ServerExchangeTiming& timing) {
  std::vector<double> pulled_s(node.path.size(), 0);
  for (std::size_t i = 0; i < exchange.shards.size(); ++i) {
    double& last_s = pulled_s[static_cast<std::size_t>(exchange.shards[i].tensor)];
    last_s = std::max(last_s, timing.pulled_s[i]);
  }
  auto order = order_of(pulled_s.size());
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return pulled_s[a] < pulled_s[b]; });
  double end_s = timing.end_s;
  for (const double passed_s : pass(node, order, pulled_s)) end_s = std::max(end_s, passed_s);
  return end_s;
}

} // namespace ddlsim
