#pragma once
#include "trainer/synchronisation/gradient_layout.hpp"

namespace ddltrain {

/// Which gradients are synchronised together.
enum class Grouping {
  buckets,    ///< c10d: a first bucket of 1 MiB, then 25 MiB, in the order ready
  per_tensor, ///< each by itself
  fusion,     ///< Horovod: what is ready on all ranks at the end of a cycle, up to a buffer's size
  single      ///< all as one
};

/// torch/csrc/distributed/c10d/reducer.hpp: kDefaultFirstBucketBytes, kDefaultBucketBytesCap.
inline constexpr std::size_t kFirstBucketBytes = 1 << 20;
inline constexpr std::size_t kBucketBytes = 25 << 20;

/// Positions [first, first + count) of a layout, neighbours in the flat arrays.
struct Group {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// The groups in the order they become complete. c10d closes a bucket with the tensor that reaches its limit, so a
/// bucket may be larger than the limit. Throws std::logic_error for fusion, whose groups are found while training.
std::vector<Group> group_tensors(const GradientLayout& layout, Grouping grouping);

} // namespace ddltrain
