#pragma once
#include "trainer/synchronisation/grouping.hpp"

namespace ddltrain {

/// Counts the gradients of a step. Groups are complete in their order, on every rank the same, as collectives need:
/// a group that is ready early waits for the ones before it.
class GroupReadiness {
public:
  GroupReadiness(std::vector<Group> groups, std::size_t tensors);

  /// Returns the groups that are complete by this gradient, as a range [first, last) of indices.
  struct Range {
    std::size_t first = 0;
    std::size_t last = 0;
  };
  Range ready(std::size_t position);
  void start_step();

  const std::vector<Group>& groups() const { return groups_; }

private:
  std::vector<Group> groups_;
  std::vector<std::size_t> group_of_;
  std::vector<std::size_t> missing_;
  std::size_t next_ = 0;
};

/// The elements of a group in the flat arrays.
struct ElementRange {
  std::size_t first = 0;
  std::size_t count = 0;
};
ElementRange elements_of(const Group& group, const GradientLayout& layout);

} // namespace ddltrain
