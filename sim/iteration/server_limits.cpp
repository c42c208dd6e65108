#include "sim/iteration/server_limits.hpp"

#include "sim/base/statistics.hpp"
#include "sim/iteration/iteration_graph.hpp"
#include "sim/iteration/server_graph.hpp"
#include "sim/parameter_server/traffic.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace ddlsim {
namespace {

/// Bytes of a piece for the rules pieces and hash where the preset names no size; see
/// sim/parameter_server/placement.hpp.
constexpr double usual_piece_bytes = 4096000;

/// The parts into which a rule cuts a tensor.
struct Cut {
  double parts = 1;
  double largest_bytes = 0;
};

Cut cut_of(double tensor_bytes, Sharding rule, double split_bytes, int servers) {
  const auto pieces_of = [&](double piece_bytes) {
    return Cut{std::max(1.0, std::ceil(tensor_bytes / piece_bytes)), std::min(tensor_bytes, piece_bytes)};
  };
  switch (rule) {
  case Sharding::split:
    if (tensor_bytes < split_bytes) break;
    return {static_cast<double>(servers), tensor_bytes / servers};
  case Sharding::pieces:
    return pieces_of(split_bytes > 0 ? split_bytes : usual_piece_bytes);
  case Sharding::hash:
    return pieces_of(usual_piece_bytes);
  case Sharding::round_robin:
  case Sharding::bytes:
  case Sharding::unknown:
    break;
  }
  return {1, tensor_bytes};
}

double bytes_of(const BackwardShape& shape) {
  double total_bytes = 0;
  for (const auto& tensor : shape.tensors) total_bytes += tensor.size_bytes;
  return total_bytes;
}

/// Returns when the first gradient may leave its GPU, seconds.
double first_ready_s(const StepSetup& setup, const CommunicationInputs& inputs, const BackwardShape& shape) {
  const auto profile = compute_profile(shape, inputs.compute_s, inputs.sample.forward_share);
  return setup.preset.overlapped ? profile.tensors.front().ready_s : inputs.compute_s;
}

/// Seconds for all shards: the longer of the times that the busiest server, and the NICs of all worker nodes, need for
/// them.
double least_travel_s(const StepSetup& setup, const CommunicationInputs& inputs, const BackwardShape& shape) {
  Machine machine = inputs.machine;
  machine.nic_duplex = inputs.sample.server_duplex;
  const auto servers =
      build_servers(completed(setup.strategy, setup.preset), machine, inputs.sample, setup.cluster.cores_per_node);
  ServerExchange exchange;
  exchange.messages_per_node = setup.strategy.on_node_reduce ? 1 : machine.ranks_per_node;
  const auto rule = sharding_of(setup, inputs.sample);
  const auto bound = bound_of_shards(shape, rule, setup.preset.split_bytes, servers.servers);
  const auto copies = copies_at_server(machine, servers, exchange);
  const double server_s = copies.all() * bound.busiest_server_bytes / server_rate_Bps(machine, servers, exchange);
  const double directions =
      servers.dedicated ? 1 : 2; // a node with servers receives the pushes to them, and the pulls of its own workers
  const double nics_s = directions * copies.remote * bytes_of(shape) / machine.nodes() / machine.busy_nic_Bps();
  return std::max(server_s, nics_s);
}

/// The name of tensor number `tensor` in creation order.
std::string name_of_tensor(const Model& model, std::size_t tensor) {
  for (const auto& layer : model.layers) {
    if (tensor < layer.tensors.size()) return layer.tensors[tensor].name;
    tensor -= layer.tensors.size();
  }
  return "";
}

/// Bytes of the graph's messages, by server and by tensor.
struct Sent {
  std::vector<double> of_servers;
  std::vector<double> of_tensors;
  double sum = 0;
};

Sent sent_in(const Graph& graph, std::size_t tensors) {
  Sent bytes{std::vector<double>(at(graph.servers.machine.servers)), std::vector<double>(tensors)};
  for (const auto& operation : graph.operations) {
    if (operation.kind != OperationKind::push_pull) continue;
    bytes.of_servers[at(graph.streams[operation.stream].number)] += operation.size_bytes;
    bytes.of_tensors[at(operation.tensor)] += operation.size_bytes;
    bytes.sum += operation.size_bytes;
  }
  return bytes;
}

/// The largest message to server `server`.
const Operation* largest_to(const Graph& graph, int server) {
  const Operation* largest = nullptr;
  for (const auto& operation : graph.operations) {
    if (operation.kind != OperationKind::push_pull || graph.streams[operation.stream].number != server) continue;
    if (largest == nullptr || operation.size_bytes > largest->size_bytes) largest = &operation;
  }
  return largest;
}

} // namespace

ShardBound bound_of_shards(const BackwardShape& shape, Sharding rule, double split_bytes, int servers) {
  ShardBound bound{0, bytes_of(shape) / servers};
  for (const auto& tensor : shape.tensors) {
    const auto cut = cut_of(tensor.size_bytes, rule, split_bytes, servers);
    bound.shards += cut.parts;
    bound.busiest_server_bytes = std::max(bound.busiest_server_bytes, cut.largest_bytes);
  }
  return bound;
}

double least_server_iteration_s(const StepSetup& setup, const Parameters& sample, const BackwardShape& shape) {
  if (setup.strategy.name == StrategyName::ps_async || shape.tensors.empty()) return 0;
  const auto inputs = communication_inputs(setup, sample);
  const auto& machine = inputs.machine;
  const double slowdown = slowdown_of(setup, machine);
  double end_s = slowdown * inputs.compute_s;
  if (!serves_itself(setup, machine))
    end_s = std::max(end_s, first_ready_s(setup, inputs, shape) + least_travel_s(setup, inputs, shape));
  const double straggling_s = sample.step_spread * expected_largest_normal(machine.nodes()) * inputs.compute_s;
  const double parts_s = end_s + overhead_s(sample, machine.nodes(), inputs.compute_s) + straggling_s;
  return std::max(needed_input_s(setup, sample.input), sample.model_discrepancy * parts_s);
}

std::optional<UnsplitTensor> find_unsplit_tensor(const StepSetup& setup, const Parameters& sample) {
  constexpr double least_share = 0.5;
  constexpr double even_enough = 1.1; // bytes over an even share, below which cutting would gain less than a tenth
  const auto shape = backward_shape_of(setup);
  const auto graph = iteration_graph(setup, communication_inputs(setup, sample), shape);
  const auto bytes = sent_in(graph, shape.tensors.size());
  const auto busiest = std::max_element(bytes.of_servers.begin(), bytes.of_servers.end());
  if (bytes.of_servers.size() < 2 || *busiest <= even_enough * bytes.sum / static_cast<double>(bytes.of_servers.size()))
    return {};
  const auto* const largest = largest_to(graph, static_cast<int>(busiest - bytes.of_servers.begin()));
  const auto tensor = at(largest->tensor);
  if (largest->size_bytes < bytes.of_tensors[tensor] || largest->size_bytes < least_share * *busiest) return {};
  return UnsplitTensor{name_of_tensor(setup.model, tensor), largest->size_bytes, largest->size_bytes / *busiest};
}

} // namespace ddlsim
