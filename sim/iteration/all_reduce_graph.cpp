#include "sim/iteration/all_reduce_graph.hpp"

#include "sim/formats/preset.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace ddlsim {
namespace {

/// Returns the seconds of compute from the end of the stream so far until `until_s`, and moves the stream's end there.
double take_until(ComputeStream& compute, double until_s) {
  const double duration_s = compute.slowdown * std::max(0.0, until_s - compute.done_s);
  compute.done_s = std::max(compute.done_s, until_s);
  return duration_s;
}

bool has_rest(const ComputeStream& compute, const ComputeProfile& profile) {
  return profile.total_s() > compute.done_s;
}

std::size_t add_until(Graph& graph, ComputeStream& compute, ComputePart part, double until_s, int tensor) {
  const double duration_s = take_until(compute, until_s);
  const int tensors = tensor < 0 ? 0 : 1;
  compute.last = add_operation(graph, {OperationKind::compute, compute.stream, duration_s, 0, tensor, tensors});
  graph.operations.back().part = part;
  return compute.last;
}

Operation all_reduce_of_group(const ComputeProfile& profile, std::size_t stream, std::size_t first, std::size_t end) {
  Operation all_reduce{OperationKind::all_reduce,    stream, 0, 0, profile.tensors[first].tensor,
                       static_cast<int>(end - first)};
  for (std::size_t t = first; t < end; ++t) all_reduce.size_bytes += profile.tensors[t].size_bytes;
  return all_reduce;
}

/// Adds backward and the all-reduce of each group, which starts once the group's last gradient is ready.
void add_beside_backward(Graph& graph, const ComputeProfile& profile, const std::vector<std::size_t>& ends,
                         ComputeStream& compute, std::size_t collectives) {
  std::size_t first = 0;
  for (const std::size_t end : ends) {
    for (std::size_t t = first; t < end; ++t) add_gradient(graph, compute, profile.tensors[t]);
    add_operation(graph, all_reduce_of_group(profile, collectives, first, end), {compute.last});
    first = end;
  }
  add_rest(graph, compute, profile);
}

void add_after_backward(Graph& graph, const ComputeProfile& profile, const std::vector<std::size_t>& ends,
                        ComputeStream& compute, std::size_t collectives) {
  for (const auto& tensor : profile.tensors) add_gradient(graph, compute, tensor);
  const std::size_t backward = add_rest(graph, compute, profile);
  std::size_t first = 0;
  for (const std::size_t end : ends) {
    add_operation(graph, all_reduce_of_group(profile, collectives, first, end), {backward});
    first = end;
  }
}

} // namespace

std::size_t add_forward(Graph& graph, ComputeStream& compute, const ComputeProfile& profile) {
  return add_until(graph, compute, ComputePart::forward, profile.forward_s, -1);
}

std::size_t add_gradient(Graph& graph, ComputeStream& compute, const ReadyTensor& tensor) {
  return add_until(graph, compute, ComputePart::backward, tensor.ready_s, tensor.tensor);
}

std::size_t add_rest(Graph& graph, ComputeStream& compute, const ComputeProfile& profile) {
  if (!has_rest(compute, profile)) return compute.last;
  return add_until(graph, compute, ComputePart::backward, profile.total_s(), -1);
}

bool time_compute(Graph& graph, ComputeStream compute, const ComputeProfile& profile) {
  auto tensor = profile.tensors.begin();
  bool had_rest = false;
  for (Operation& operation : graph.operations) {
    if (operation.stream != compute.stream) continue;
    double until_s = profile.forward_s;
    if (operation.tensor >= 0) {
      until_s = (tensor++)->ready_s;
    } else if (operation.part == ComputePart::backward) {
      had_rest = true;
      if (!has_rest(compute, profile)) return false;
      until_s = profile.total_s();
    }
    operation.duration_s = take_until(compute, until_s);
  }
  return had_rest || !has_rest(compute, profile);
}

std::vector<std::size_t> group_ends(const ComputeProfile& profile, const Preset& preset) {
  std::vector<double> tensor_bytes;
  tensor_bytes.reserve(profile.tensors.size());
  for (const auto& tensor : profile.tensors) tensor_bytes.push_back(tensor.size_bytes);
  switch (preset.grouping) {
  case Grouping::buckets:
    return bucket_ends(tensor_bytes, preset.first_bucket_bytes * profile.wire_share,
                       preset.bucket_bytes * profile.wire_share);
  case Grouping::single: {
    constexpr double no_limit = std::numeric_limits<double>::infinity();
    return bucket_ends(tensor_bytes, no_limit, no_limit);
  }
  case Grouping::per_tensor:
  case Grouping::fusion:
    break;
  }
  return bucket_ends(tensor_bytes, 0, 0);
}

ComputeProfile one_of_micro_batches(ComputeProfile profile, int micro_batches) {
  profile.forward_s /= micro_batches;
  profile.backward_s /= micro_batches;
  for (auto& tensor : profile.tensors) tensor.ready_s /= micro_batches;
  return profile;
}

Graph all_reduce_graph(const ComputeProfile& whole, const Preset& preset, const Machine& machine, int micro_batches) {
  const auto profile = micro_batches > 1 ? one_of_micro_batches(whole, micro_batches) : whole;
  Graph graph;
  graph.machine = machine;
  graph.operations.reserve(2 * profile.tensors.size() + 2);
  graph.waits.reserve(profile.tensors.size());
  const std::size_t worker = add_role(graph, "worker", machine.ranks);
  ComputeStream compute{add_stream(graph, StreamKind::compute, worker)};
  for (int i = 1; i < micro_batches; ++i) {
    add_forward(graph, compute, profile);
    add_rest(graph, compute, profile);
    compute.done_s = 0;
  }
  add_forward(graph, compute, profile);
  const std::size_t collectives = add_stream(graph, StreamKind::collectives, worker);
  if (preset.grouping == Grouping::fusion) graph.fusion = {preset.cycle_s, preset.bucket_bytes};
  const bool beside = preset.overlapped && preset.grouping != Grouping::single;
  const auto add_backward_and_all_reduces = beside ? add_beside_backward : add_after_backward;
  add_backward_and_all_reduces(graph, profile, group_ends(profile, preset), compute, collectives);
  return graph;
}

} // namespace ddlsim
