#pragma once
// A model's parameters and gradients as two flat arrays, tensors in the order in which backward makes gradients ready.

#include <cstddef>
#include <vector>

namespace ddltrain {
struct TensorPlace {
  std::size_t tensor = 0; ///< index of the tensor in the order of creation
  std::size_t first = 0;  ///< index of its first element in the flat arrays
  std::size_t count = 0;
};

/// tensors in the order of ready gradients; a position is an index into it
using GradientLayout = std::vector<TensorPlace>;

/// counts: elements of each tensor in creation order; ready: creation indices in the order of ready gradients, each
/// once.
GradientLayout lay_out(const std::vector<std::size_t>& counts, const std::vector<std::size_t>& ready);

std::size_t element_count(const GradientLayout& layout);

/// The flat arrays of this rank, which live as long as its model.
struct ModelMemory {
  float* parameters = nullptr;
  float* gradients = nullptr;
};

/// Which gradients are synchronised together.
enum class Grouping {
  buckets,    ///< buckets of PyTorch's c10d: a first bucket of 1 MiB, then 25 MiB, in the order of ready gradients
  per_tensor, ///< each tensor by itself
  fusion,     ///< Horovod: the gradients that are ready on all ranks at the end of a cycle, up to a buffer's size
  single      ///< all tensors together
};

/// torch/csrc/distributed/c10d/reducer.hpp: kDefaultFirstBucketBytes, kDefaultBucketBytesCap.
inline constexpr std::size_t first_bucket_bytes = 1 << 20;
inline constexpr std::size_t bucket_bytes = 25 << 20;

/// The positions [first, first + count) of a layout, which are neighbours in the flat arrays.
struct Group {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// The groups in the order they become complete. c10d closes a bucket with the tensor that reaches its limit, so a
/// bucket may be larger than the limit. Throws std::logic_error for fusion, whose groups are found while training.
std::vector<Group> group_tensors(const GradientLayout& layout, Grouping grouping);

/// Counts the gradients of a step. Groups are complete in their order, on every rank the same, as collectives need:
/// a group that is ready early waits for the ones before it.
class GroupReadiness {
public:
  GroupReadiness(std::vector<Group> groups, std::size_t tensors);

  /// Returns the groups that this gradient completes, as a range [first, last) of indices.
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
