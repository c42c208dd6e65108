#include "sim/iteration/sharded_units.hpp"

#include <algorithm>
#include <utility>

namespace ddlsim {

ShardedUnits::ShardedUnits(Graph& graph, const UnitShape& shape, const ShardedOptions& options, const ShardBytes& bytes,
                           int group, const UnitCarriers& carriers, AddCompute add_compute, HostStreams* host)
    : graph_(graph), shape_(shape), options_(options), bytes_(bytes), group_(group), carriers_(carriers),
      add_compute_(std::move(add_compute)), host_(host), gather_of_(shape.units.size(), none),
      copies_s_(shape.units.size(), 0) {}

/// Adds forward. Gathers are issued before compute needs them, as far as the limit allows.
void ShardedUnits::run_forward() {
  frees_ = options_.reshard_after_forward;
  const auto& stages = shape_.stages;
  std::size_t ahead = 0;
  gather(root);
  for (std::size_t s = 0; s < stages.size(); ++s) {
    for (; ahead < stages.size() && (ahead <= s || !is_limited(stages[ahead].unit) || has_room()); ++ahead)
      gather(stages[ahead].unit);
    compute(ComputePart::forward, s);
    if (frees_ && stages[s].unit != root) free(stages[s].unit);
  }
}

void ShardedUnits::run_backward(bool ends) {
  frees_ = ends;
  const auto& stages = shape_.stages;
  for (std::size_t s = stages.size(); s-- > 0;) {
    const std::size_t unit = stages[s].unit;
    gather(unit);
    if (options_.backward_prefetch && s > 0 && has_room()) gather(stages[s - 1].unit);
    if (ends && carriers_.shared && is_first_stage(s))
      copies_s_[unit] += parameters_of(unit) * bytes_.scattered * bytes_.copy_s_per_byte;
    compute(ComputePart::backward, s);
    if (ends && unit != root) finish(unit);
  }
  if (!ends) return;
  finish(root);
  scattered_ = true;
}

bool ShardedUnits::is_gathered(std::size_t unit) const {
  return gather_of_[unit] != none || !(shape_.units[unit].all() > 0) ||
         (!carriers_.shared && !keeps_parameters_on_host());
}

bool ShardedUnits::is_limited(std::size_t unit) const {
  return unit != root && frees_;
}

/// Whether the next gather may be issued, because the unit that has to make room for it was freed.
bool ShardedUnits::has_room() const {
  const auto limit = static_cast<std::size_t>(options_.gathers_in_flight);
  return gathers_ < limit || gathers_ - limit < freed_.size();
}

/// Whether the stage is the first of its unit, which backward reaches last.
bool ShardedUnits::is_first_stage(std::size_t stage) const {
  const auto of_unit = [&](const UnitStage& one) { return one.unit == shape_.stages[stage].unit; };
  const auto here = shape_.stages.begin() + static_cast<std::ptrdiff_t>(stage);
  return std::none_of(shape_.stages.begin(), here, of_unit);
}

/// Parameters of a unit that are experts on several ranks.
double ShardedUnits::dealt(std::size_t unit) const {
  return carriers_.experts_apart ? shape_.units[unit].expert_parameters : 0;
}

/// Parameters that a rank trains, of those with which it computes.
double ShardedUnits::parameters_of(std::size_t unit) const {
  return (shape_.units[unit].parameters - dealt(unit)) * carriers_.dense_part + dealt(unit) * carriers_.expert_part;
}

void ShardedUnits::gather(std::size_t unit) {
  if (is_gathered(unit)) return;
  const double parameters = parameters_of(unit) + shape_.units[unit].frozen_parameters * carriers_.dense_part;
  if (keeps_parameters_on_host()) {
    gather_of_[unit] = host_->copy_parameters(parameters / group_);
    wait_for_room(unit);
  }
  if (carriers_.shared) {
    copies_s_[unit] += parameters * bytes_.gathered * bytes_.copy_s_per_byte;
    const std::size_t part = gather_of_[unit];
    const double dense = parameters - dealt(unit) * carriers_.expert_part;
    gather_of_[unit] = add_collective(OperationKind::all_gather, carriers_.collectives, unit, dense * bytes_.gathered,
                                      carriers_.of_shards);
    if (part != none) wait_for(graph_, part);
    if (arrival_ != none) wait_for(graph_, arrival_);
    wait_for_room(unit);
    if (const auto experts = add_experts(OperationKind::all_gather, unit, bytes_.gathered); experts != none)
      gather_of_[unit] = experts;
  }
  if (is_limited(unit)) ++gathers_;
}

void ShardedUnits::wait_for_room(std::size_t unit) {
  const auto limit = static_cast<std::size_t>(options_.gathers_in_flight);
  const bool waits = is_limited(unit) && gathers_ >= limit && gathers_ - limit < freed_.size();
  if (waits) wait_for(graph_, freed_[gathers_ - limit]);
}

std::size_t ShardedUnits::add_collective(OperationKind kind, std::size_t stream, std::size_t unit, double size_bytes,
                                         int group) {
  Operation operation{kind, stream, 0, size_bytes};
  operation.unit = carriers_.first_unit + static_cast<int>(unit);
  operation.group = group;
  return add_operation(graph_, operation);
}

/// Adds the same for a unit's experts that other ranks share; returns none where there are none.
std::size_t ShardedUnits::add_experts(OperationKind kind, std::size_t unit, double bytes) {
  const double size_bytes = dealt(unit) * carriers_.expert_part * bytes;
  if (carriers_.of_expert_shards < 0 || !(size_bytes > 0)) return none;
  return add_collective(kind, carriers_.collectives, unit, size_bytes, carriers_.of_expert_shards);
}

void ShardedUnits::compute(ComputePart part, std::size_t stage) {
  const std::size_t unit = shape_.stages[stage].unit;
  std::vector<std::size_t> before;
  if (gather_of_[unit] != none) before.push_back(gather_of_[unit]);
  last_ = add_compute_(stage, part, std::exchange(copies_s_[unit], 0), before);
}

/// Marks the unit as freed after the last operation.
void ShardedUnits::free(std::size_t unit) {
  if (gather_of_[unit] != none && is_limited(unit)) freed_.push_back(last_);
  gather_of_[unit] = none;
}

/// Frees a unit after its backward, and adds the scatter of its gradients, which are whole on every rank.
void ShardedUnits::finish(std::size_t unit) {
  free(unit);
  if (!(shape_.units[unit].parameters > 0)) return;
  const std::size_t last_collective = carriers_.shared ? reduce_gradients(unit) : last_;
  if (host_ != nullptr) host_->copy_gradients(parameters_of(unit) / group_, last_collective, scattered_);
}

std::size_t ShardedUnits::reduce_gradients(std::size_t unit) {
  const double dense = parameters_of(unit) - dealt(unit) * carriers_.expert_part;
  const double size_bytes = dense * bytes_.scattered;
  std::size_t scattered =
      add_collective(OperationKind::reduce_scatter, carriers_.collectives, unit, size_bytes, carriers_.of_scatters);
  wait_for(graph_, last_);
  if (const auto experts = add_experts(OperationKind::reduce_scatter, unit, bytes_.scattered); experts != none)
    scattered = experts;
  if (carriers_.sums == UnitCarriers::no_stream) return scattered;
  const std::size_t summed =
      add_collective(OperationKind::all_reduce, carriers_.sums, unit, size_bytes / group_, carriers_.of_copies);
  wait_for(graph_, scattered);
  return summed;
}

} // namespace ddlsim
