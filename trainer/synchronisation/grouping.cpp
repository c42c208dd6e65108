#include "trainer/synchronisation/grouping.hpp"

#include <stdexcept>

namespace ddltrain {
namespace {

std::vector<Group> buckets(const GradientLayout& layout) {
  std::vector<Group> groups;
  std::size_t limit_bytes = kFirstBucketBytes;
  Group open;
  std::size_t open_bytes = 0;
  for (std::size_t position = 0; position < layout.size(); ++position) {
    ++open.count;
    open_bytes += layout[position].count * sizeof(float);
    if (open_bytes >= limit_bytes || position + 1 == layout.size()) {
      groups.push_back(open);
      open = {position + 1, 0};
      open_bytes = 0;
      limit_bytes = kBucketBytes;
    }
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

} // namespace ddltrain
