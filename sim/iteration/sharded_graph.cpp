#include "sim/iteration/sharded_graph.hpp"

#include "sim/iteration/sharded_units.hpp"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace ddlsim {
namespace {

/// Builds the graph of one role, micro-batch by micro-batch.
class FsdpBuilder {
public:
  FsdpBuilder(const UnitShape& shape, const WholePasses& passes, const ShardedOptions& options, const ShardBytes& bytes,
              const Machine& machine, int group, const HostSeconds& host)
      : shape_(shape), passes_(passes), options_(options), bytes_(bytes), group_(group) {
    graph_.machine = machine;
    for (const auto& unit : shape.units) graph_.units.push_back(unit.name);
    const std::size_t worker = add_role(graph_, "worker", machine.ranks);
    compute_ = add_stream(graph_, StreamKind::compute, worker);
    carriers_.collectives = add_stream(graph_, StreamKind::collectives, worker);
    if (group < machine.ranks) carriers_.sums = add_stream(graph_, StreamKind::collectives, worker);
    carriers_.shared = machine.ranks > 1 || options.offload == Offload::none;
    if (options.offload != Offload::none) host_.emplace(graph_, worker, host);
  }

  Graph build() {
    const auto add_compute = [this](std::size_t stage, ComputePart part, double copies_s,
                                    const std::vector<std::size_t>& before) {
      return compute(shape_.stages[stage], part, copies_s, before);
    };
    ShardedUnits units(graph_, shape_, options_, bytes_, group_, carriers_, add_compute, host_ ? &*host_ : nullptr);
    for (int i = 0; i < options_.micro_batches; ++i) {
      units.run_forward();
      units.run_backward(true);
    }
    if (host_) update_on_host();
    return std::move(graph_);
  }

private:
  std::size_t compute(const UnitStage& stage, ComputePart part, double copies_s,
                      const std::vector<std::size_t>& before) {
    const double all_s = part == ComputePart::forward
                             ? passes_.forward_s * stage.forward
                             : passes_.backward_s * stage.backward + passes_.forward_s * stage.again;
    Operation operation{OperationKind::compute, compute_, all_s / options_.micro_batches + copies_s};
    operation.part = part;
    operation.unit = static_cast<int>(stage.unit);
    const std::size_t added = add_operation(graph_, operation);
    for (const std::size_t one : before) wait_for(graph_, one);
    return added;
  }

  void update_on_host() {
    double parameters = 0; // number of parameters in the rank's part
    for (const auto& unit : shape_.units) parameters += unit.parameters / group_;
    const std::size_t updated = host_->update(parameters);
    if (options_.offload == Offload::optimizer_and_parameters) return;
    host_->copy_parameters(parameters);
    wait_for(graph_, updated);
  }

  const UnitShape& shape_;
  const WholePasses& passes_;
  const ShardedOptions& options_;
  const ShardBytes& bytes_;
  int group_; ///< number of ranks that share one copy of the model's state
  UnitCarriers carriers_;
  Graph graph_;
  std::size_t compute_ = 0; ///< stream of compute
  std::optional<HostStreams> host_;
};

} // namespace

Graph fsdp_graph(const UnitShape& shape, const WholePasses& passes, const ShardedOptions& options,
                 const ShardBytes& bytes, const Machine& machine, int group, const HostSeconds& host) {
  return FsdpBuilder(shape, passes, options, bytes, machine, group, host).build();
}

} // namespace ddlsim
