#include "trainer/synchronisation/gradient_groups.hpp"

#include "sim/formats/preset.hpp"

#include <stdexcept>
#include <utility>

namespace ddltrain {
GradientLayout lay_out(const std::vector<std::size_t>& counts, const std::vector<std::size_t>& ready) {
  GradientLayout layout;
  std::size_t first = 0;
  for (const std::size_t tensor : ready) {
    layout.push_back({tensor, first, counts.at(tensor)});
    first += counts[tensor];
  }
  return layout;
}

std::size_t element_count(const GradientLayout& layout) {
  return layout.empty() ? 0 : layout.back().first + layout.back().count;
}

namespace {

std::vector<Group> buckets(const GradientLayout& layout) {
  std::vector<double> tensor_bytes;
  for (const TensorPlace& place : layout) tensor_bytes.push_back(static_cast<double>(place.count * sizeof(float)));
  std::vector<Group> groups;
  std::size_t first = 0;
  for (const std::size_t end : ddlsim::bucket_ends(tensor_bytes, first_bucket_bytes, bucket_bytes)) {
    groups.push_back({first, end - first});
    first = end;
  }
  return groups;
}

} // namespace

std::vector<Group> group_tensors(const GradientLayout& layout, Grouping grouping) {
  switch (grouping) {
  case Grouping::buckets:
    return buckets(layout);
  case Grouping::single:
    return {{0, layout.size()}};
  case Grouping::per_tensor: {
    std::vector<Group> groups;
    for (std::size_t position = 0; position < layout.size(); ++position) groups.push_back({position, 1});
    return groups;
  }
  case Grouping::fusion:
    break;
  }
  throw std::logic_error("fusion groups tensors while training");
}

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
