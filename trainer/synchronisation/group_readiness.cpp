#include "trainer/synchronisation/group_readiness.hpp"

#include <utility>

namespace ddltrain {

GroupReadiness::GroupReadiness(std::vector<Group> groups, std::size_t tensors)
    : groups_(std::move(groups)), group_of_(tensors) {
  for (std::size_t index = 0; index < groups_.size(); ++index) {
    for (std::size_t i = 0; i < groups_[index].count; ++i) group_of_.at(groups_[index].first + i) = index;
  }
  start_step();
}

void GroupReadiness::start_step() {
  missing_.clear();
  for (const Group& group : groups_) missing_.push_back(group.count);
  next_ = 0;
}

GroupReadiness::Range GroupReadiness::ready(std::size_t position) {
  --missing_.at(group_of_.at(position));
  const std::size_t first = next_;
  while (next_ < groups_.size() && missing_[next_] == 0) ++next_;
  return {first, next_};
}

ElementRange elements_of(const Group& group, const GradientLayout& layout) {
  const TensorPlace& last = layout[group.first + group.count - 1];
  const std::size_t first = layout[group.first].first;
  return {first, last.first + last.count - first};
}

} // namespace ddltrain
