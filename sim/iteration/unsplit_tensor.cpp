#include "sim/iteration/unsplit_tensor.hpp"

#include "sim/iteration/iteration_graph.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ddlsim {
namespace {

/// The name of tensor number `tensor` in creation order.
std::string name_of_tensor(const Model& model, std::size_t tensor) {
  for (const auto& layer : model.layers) {
    if (tensor < layer.tensors.size()) return layer.tensors[tensor].name;
    tensor -= layer.tensors.size();
  }
  return "";
}

/// Bytes of each, as the graph sends them.
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

/// The largest message to that server.
const Operation* largest_to(const Graph& graph, int server) {
  const Operation* largest = nullptr;
  for (const auto& operation : graph.operations) {
    if (operation.kind != OperationKind::push_pull || graph.streams[operation.stream].number != server) continue;
    if (largest == nullptr || operation.size_bytes > largest->size_bytes) largest = &operation;
  }
  return largest;
}

} // namespace

std::optional<UnsplitTensor> find_unsplit_tensor(const StepSetup& setup, const Parameters& sample) {
  constexpr double least_share = 0.5;
  constexpr double even_enough = 1.1; // of an even share: cutting would gain less than a tenth
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
