#include "sim/iteration/all_reduce_graph.hpp"
#include "sim/iteration/sharded_graph.hpp"

#include <utility>

namespace ddlsim {
namespace {

ComputeProfile one_of_micro_batches(ComputeProfile profile, int micro_batches) {
  profile.forward_s /= micro_batches;
  profile.backward_s /= micro_batches;
  for (auto& tensor : profile.tensors) tensor.ready_s /= micro_batches;
  return profile;
}

class ZeroBuilder {
public:
  ZeroBuilder(const ComputeProfile& profile, std::vector<std::size_t> ends, const Machine& machine)
      : profile_(profile), ends_(std::move(ends)) {
    graph_.machine = machine;
    const std::size_t worker = add_role(graph_, "worker", machine.ranks);
    compute_.stream = add_stream(graph_, StreamKind::compute, worker);
    collectives_ = add_stream(graph_, StreamKind::collectives, worker);
  }

  /// Forward and backward of a micro-batch; with `scattered`, its gradients are.
  void add_micro_batch(bool scattered, bool beside_backward) {
    compute_.done_s = 0;
    add_forward(graph_, compute_, profile_);
    std::size_t first = 0;
    for (const std::size_t end : ends_) {
      for (std::size_t t = first; t < end; ++t) add_gradient(graph_, compute_, profile_.tensors[t]);
      if (scattered && beside_backward) add_collective(OperationKind::reduce_scatter, first, end, 1);
      first = end;
    }
    add_rest(graph_, compute_, profile_);
    if (scattered && !beside_backward) add_all(OperationKind::reduce_scatter, 1);
  }

  /// Each group once, after all that was computed; `bytes_share` of the bytes of its gradients.
  void add_all(OperationKind kind, double bytes_share) {
    std::size_t first = 0;
    for (const std::size_t end : ends_) {
      add_collective(kind, first, end, bytes_share);
      first = end;
    }
  }

  Graph take() { return std::move(graph_); }

private:
  void add_collective(OperationKind kind, std::size_t first, std::size_t end, double bytes_share) {
    Operation operation{kind, collectives_, 0, 0, profile_.tensors[first].tensor, static_cast<int>(end - first)};
    for (std::size_t t = first; t < end; ++t) operation.size_bytes += bytes_share * profile_.tensors[t].size_bytes;
    add_operation(graph_, operation, {compute_.last});
  }

  const ComputeProfile& profile_;
  std::vector<std::size_t> ends_; ///< one past the last tensor of each group
  Graph graph_;
  ComputeStream compute_;
  std::size_t collectives_ = 0; ///< stream
};

} // namespace

Graph zero_graph(StrategyName name, const ComputeProfile& profile, const ShardedOptions& options,
                 const ShardBytes& bytes, const Preset& preset, const Machine& machine) {
  const auto micro_batch = one_of_micro_batches(profile, options.micro_batches);
  ZeroBuilder builder(micro_batch, group_ends(profile, preset), machine);
  const bool beside_backward = preset.overlapped && preset.grouping != Grouping::single;
  for (int i = 1; i <= options.micro_batches; ++i)
    builder.add_micro_batch(name == StrategyName::zero_2 || i == options.micro_batches, beside_backward);
  builder.add_all(OperationKind::all_gather, bytes.gathered / bytes.scattered);
  return builder.take();
}

} // namespace ddlsim
