#include "sim/iteration/all_reduce_graph.hpp"
#include "sim/iteration/sharded_graph.hpp"

#include <optional>
#include <utility>

namespace ddlsim {
namespace {

class ZeroBuilder {
public:
  ZeroBuilder(const ComputeProfile& profile, std::vector<std::size_t> ends, const Machine& machine,
              const ShardBytes& bytes)
      : profile_(profile), ends_(std::move(ends)), bytes_(bytes) {
    graph_.machine = machine;
    const std::size_t worker = add_role(graph_, "worker", machine.ranks);
    compute_.stream = add_stream(graph_, StreamKind::compute, worker);
    collectives_ = add_stream(graph_, StreamKind::collectives, worker);
  }

  /// Copies the rank's part of everything that is scattered to the host, from now on.
  void offload(const HostSeconds& host) {
    constexpr std::size_t worker = 0;
    host_.emplace(graph_, worker, host);
  }

  /// Adds forward and backward of a micro-batch; with `scattered`, also the reduce-scatters of its gradients.
  void add_micro_batch(bool scattered, bool beside_backward) {
    compute_.done_s = 0;
    add_forward(graph_, compute_, profile_);
    std::size_t first = 0;
    for (const std::size_t end : ends_) {
      for (std::size_t t = first; t < end; ++t) add_gradient(graph_, compute_, profile_.tensors[t]);
      if (scattered && beside_backward) scatter(first, end);
      first = end;
    }
    add_rest(graph_, compute_, profile_);
    first = 0;
    for (const std::size_t end : ends_) {
      if (scattered && !beside_backward) scatter(first, end);
      first = end;
    }
    copied_ = scattered;
  }

  /// Adds the update of the rank's part on the host, and the copy of its parameters back.
  void update_on_host() {
    double parameters = 0;
    for (const auto& tensor : profile_.tensors) parameters += part_of(tensor.size_bytes);
    const std::size_t updated = host_->update(parameters);
    back_ = host_->copy_parameters(parameters);
    wait_for(graph_, updated);
  }

  /// Adds one all-gather of the parameters of each group, after all compute.
  void gather() {
    std::size_t first = 0;
    for (const std::size_t end : ends_) {
      if (!alone()) {
        add_collective(OperationKind::all_gather, first, end, bytes_.gathered / bytes_.scattered);
        if (back_) wait_for(graph_, *back_);
      }
      first = end;
    }
  }

  Graph take() { return std::move(graph_); }

private:
  bool alone() const { return host_ && graph_.machine.ranks == 1; }
  double part_of(double size_bytes) const { return size_bytes / bytes_.scattered / graph_.machine.ranks; }

  void scatter(std::size_t first, std::size_t end) {
    const std::size_t last_collective =
        alone() ? compute_.last : add_collective(OperationKind::reduce_scatter, first, end, 1);
    if (!host_) return;
    double parameters = 0;
    for (std::size_t t = first; t < end; ++t) parameters += part_of(profile_.tensors[t].size_bytes);
    host_->copy_gradients(parameters, last_collective, copied_);
  }

  /// Adds a collective that moves `bytes_share` times the bytes of the group's gradients.
  std::size_t add_collective(OperationKind kind, std::size_t first, std::size_t end, double bytes_share) {
    Operation operation{kind, collectives_, 0, 0, profile_.tensors[first].tensor, static_cast<int>(end - first)};
    for (std::size_t t = first; t < end; ++t) operation.size_bytes += bytes_share * profile_.tensors[t].size_bytes;
    return add_operation(graph_, operation, {compute_.last});
  }

  const ComputeProfile& profile_;
  std::vector<std::size_t> ends_; ///< index after the last tensor of each group
  ShardBytes bytes_;
  Graph graph_;
  std::optional<HostStreams> host_;
  std::optional<std::size_t> back_; ///< the operation after which, with offload, the rank's part is updated
  bool copied_ = false;             ///< gradients of an earlier micro-batch are already on the host
  ComputeStream compute_;
  std::size_t collectives_ = 0; ///< stream of collectives
};

} // namespace

Graph zero_graph(StrategyName name, const ComputeProfile& profile, const ShardedOptions& options,
                 const ShardBytes& bytes, const Preset& preset, const Machine& machine, const HostSeconds& host) {
  const auto micro_batch = one_of_micro_batches(profile, options.micro_batches);
  ZeroBuilder builder(micro_batch, group_ends(profile, preset), machine, bytes);
  if (options.offload != Offload::none) builder.offload(host);
  const bool beside_backward = preset.overlapped && preset.grouping != Grouping::single;
  for (int i = 1; i <= options.micro_batches; ++i)
    builder.add_micro_batch(name == StrategyName::zero_2 || i == options.micro_batches, beside_backward);
  if (options.offload != Offload::none) builder.update_on_host();
  builder.gather();
  return builder.take();
}

} // namespace ddlsim
