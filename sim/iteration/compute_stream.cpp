#include "sim/iteration/compute_stream.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

std::size_t add_until(Graph& graph, ComputeStream& compute, ComputePart part, double until_s, int tensor) {
  const double duration_s = compute.slowdown * std::max(0.0, until_s - compute.done_s);
  compute.done_s = std::max(compute.done_s, until_s);
  const int tensors = tensor < 0 ? 0 : 1;
  compute.last = add_operation(graph, {OperationKind::compute, compute.stream, duration_s, 0, tensor, tensors});
  graph.operations.back().part = part;
  return compute.last;
}

} // namespace

std::size_t add_forward(Graph& graph, ComputeStream& compute, const ComputeProfile& profile) {
  return add_until(graph, compute, ComputePart::forward, profile.forward_s, -1);
}

std::size_t add_gradient(Graph& graph, ComputeStream& compute, const ReadyTensor& tensor) {
  return add_until(graph, compute, ComputePart::backward, tensor.ready_s, tensor.tensor);
}

std::size_t add_rest(Graph& graph, ComputeStream& compute, const ComputeProfile& profile) {
  if (!(profile.total_s() > compute.done_s)) return compute.last;
  return add_until(graph, compute, ComputePart::backward, profile.total_s(), -1);
}

} // namespace ddlsim
