#include "sim/iteration/sharded_graph.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

namespace ddlsim {
namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

/// Builds the graph of one role, micro-batch by micro-batch.
class FsdpBuilder {
public:
  FsdpBuilder(const UnitShape& shape, const WholePasses& passes, const ShardedOptions& options, const ShardBytes& bytes,
              const Machine& machine, int group, const HostSeconds& host)
      : shape_(shape), passes_(passes), options_(options), bytes_(bytes), group_(group),
        alone_(machine.ranks == 1 && options.offload != Offload::none), gather_of_(shape.units.size(), none),
        copies_s_(shape.units.size(), 0) {
    graph_.machine = machine;
    for (const auto& unit : shape.units) graph_.units.push_back(unit.name);
    const std::size_t worker = add_role(graph_, "worker", machine.ranks);
    compute_ = add_stream(graph_, StreamKind::compute, worker);
    collectives_ = add_stream(graph_, StreamKind::collectives, worker);
    if (group < machine.ranks) all_reduces_ = add_stream(graph_, StreamKind::collectives, worker);
    if (options.offload != Offload::none) host_.emplace(graph_, worker, host);
  }

  Graph build() {
    for (micro_batch_ = 0; micro_batch_ < options_.micro_batches; ++micro_batch_) {
      run_forward();
      run_backward();
    }
    if (host_) update_on_host();
    return std::move(graph_);
  }

private:
  static constexpr std::size_t root = 0;

  bool keeps_parameters_on_host() const { return options_.offload == Offload::optimizer_and_parameters; }
  bool is_gathered(std::size_t unit) const {
    return gather_of_[unit] != none || !(shape_.units[unit].parameters > 0) || (alone_ && !keeps_parameters_on_host());
  }
  bool is_limited(std::size_t unit) const { return unit != root && (options_.reshard_after_forward || in_backward_); }

  /// Whether the next gather may be issued, because the unit that has to make room for it was freed.
  bool has_room() const {
    const auto limit = static_cast<std::size_t>(options_.gathers_in_flight);
    return gathers_ < limit || gathers_ - limit < frees_.size();
  }

  void gather(std::size_t unit) {
    if (is_gathered(unit)) return;
    const double parameters = shape_.units[unit].parameters;
    if (keeps_parameters_on_host()) {
      gather_of_[unit] = host_->copy_parameters(parameters / group_);
      wait_for_room(unit);
    }
    if (!alone_) {
      copies_s_[unit] += parameters * bytes_.gathered * bytes_.copy_s_per_byte;
      const std::size_t part = gather_of_[unit];
      gather_of_[unit] = add_collective(OperationKind::all_gather, collectives_, unit, parameters * bytes_.gathered);
      if (part != none) wait_for(graph_, part);
      wait_for_room(unit);
    }
    if (is_limited(unit)) ++gathers_;
  }

  void wait_for_room(std::size_t unit) {
    const auto limit = static_cast<std::size_t>(options_.gathers_in_flight);
    if (is_limited(unit) && gathers_ >= limit) wait_for(graph_, frees_[gathers_ - limit]);
  }

  std::size_t add_collective(OperationKind kind, std::size_t stream, std::size_t unit, double size_bytes) {
    Operation operation{kind, stream, 0, size_bytes};
    operation.unit = static_cast<int>(unit);
    return add_operation(graph_, operation);
  }

  void compute(ComputePart part, std::size_t unit, double duration_s) {
    const double copies_s = std::exchange(copies_s_[unit], 0);
    Operation operation{OperationKind::compute, compute_, duration_s / options_.micro_batches + copies_s};
    operation.part = part;
    operation.unit = static_cast<int>(unit);
    last_ = add_operation(graph_, operation);
    if (gather_of_[unit] != none) wait_for(graph_, gather_of_[unit]);
  }

  /// Marks the unit as freed after the last operation.
  void free(std::size_t unit) {
    if (gather_of_[unit] != none && is_limited(unit)) frees_.push_back(last_);
    gather_of_[unit] = none;
  }

  /// Whether the stage is the first of its unit, which backward reaches last.
  bool is_first_stage(std::size_t stage) const {
    const auto of_unit = [&](const UnitStage& one) { return one.unit == shape_.stages[stage].unit; };
    const auto here = shape_.stages.begin() + static_cast<std::ptrdiff_t>(stage);
    return std::none_of(shape_.stages.begin(), here, of_unit);
  }

  /// Adds forward. Gathers are issued before compute needs them, as far as the limit allows.
  void run_forward() {
    in_backward_ = false;
    const auto& stages = shape_.stages;
    std::size_t ahead = 0;
    gather(root);
    for (std::size_t s = 0; s < stages.size(); ++s) {
      for (; ahead < stages.size() && (ahead <= s || !is_limited(stages[ahead].unit) || has_room()); ++ahead)
        gather(stages[ahead].unit);
      compute(ComputePart::forward, stages[s].unit, passes_.forward_s * stages[s].forward);
      if (options_.reshard_after_forward && stages[s].unit != root) free(stages[s].unit);
    }
  }

  void run_backward() {
    in_backward_ = true;
    const auto& stages = shape_.stages;
    for (std::size_t s = stages.size(); s-- > 0;) {
      const std::size_t unit = stages[s].unit;
      gather(unit);
      if (options_.backward_prefetch && s > 0 && has_room()) gather(stages[s - 1].unit);
      if (!alone_ && is_first_stage(s))
        copies_s_[unit] += shape_.units[unit].parameters * bytes_.scattered * bytes_.copy_s_per_byte;
      compute(ComputePart::backward, unit,
              passes_.backward_s * stages[s].backward + passes_.forward_s * stages[s].again);
      if (unit != root) finish(unit);
    }
    finish(root);
  }

  /// Frees a unit after its backward, and adds the scatter of its gradients, which are whole on every rank.
  void finish(std::size_t unit) {
    free(unit);
    if (!(shape_.units[unit].parameters > 0)) return;
    const std::size_t last_collective = alone_ ? last_ : reduce_gradients(unit);
    if (host_) host_->copy_gradients(shape_.units[unit].parameters / group_, last_collective, micro_batch_ > 0);
  }

  std::size_t reduce_gradients(std::size_t unit) {
    const double size_bytes = shape_.units[unit].parameters * bytes_.scattered;
    const std::size_t scattered = add_collective(OperationKind::reduce_scatter, collectives_, unit, size_bytes);
    wait_for(graph_, last_);
    if (all_reduces_ == none) return scattered;
    const std::size_t last_collective =
        add_collective(OperationKind::all_reduce, all_reduces_, unit, size_bytes / group_);
    wait_for(graph_, scattered);
    return last_collective;
  }

  void update_on_host() {
    double parameters = 0; // number of parameters in the rank's part
    for (const auto& unit : shape_.units) parameters += unit.parameters / group_;
    const std::size_t updated = host_->update(parameters);
    if (keeps_parameters_on_host()) return;
    host_->copy_parameters(parameters);
    wait_for(graph_, updated);
  }

  const UnitShape& shape_;
  const WholePasses& passes_;
  const ShardedOptions& options_;
  const ShardBytes& bytes_;
  int group_;  ///< number of ranks that share one copy of the model's state
  bool alone_; ///< one GPU with offload, which copies only and sends nothing
  Graph graph_;
  std::size_t compute_ = 0;        ///< stream of compute
  std::size_t collectives_ = 0;    ///< stream of collectives
  std::size_t all_reduces_ = none; ///< stream of all-reduces across groups; none: there is one group
  std::optional<HostStreams> host_;
  std::size_t last_ = none; ///< last operation of compute
  int micro_batch_ = 0;
  bool in_backward_ = false;
  std::vector<std::size_t> gather_of_; ///< operation that gathered each unit; none: the unit's parameters are not here
  std::vector<double> copies_s_;       ///< seconds of copies for which each unit's next compute has to wait
  std::vector<std::size_t> frees_;     ///< operations after which units of limited gathers were freed, in order
  std::size_t gathers_ = 0;            ///< number of gathers that the limit applies to
};

} // namespace

Graph fsdp_graph(const UnitShape& shape, const WholePasses& passes, const ShardedOptions& options,
                 const ShardBytes& bytes, const Machine& machine, int group, const HostSeconds& host) {
  return FsdpBuilder(shape, passes, options, bytes, machine, group, host).build();
}

} // namespace ddlsim
