#pragma once
// Mean errors of predicted all-reduces, by class of size and by carrier.

#include "sim/base/statistics.hpp"
#include "validate/collectives/size_tables.hpp"

#include <functional>
#include <limits>
#include <vector>

namespace ddlsim {

/// Sizes from `from_bytes` to below `below_bytes`.
struct SizeClass {
  double from_bytes;
  double below_bytes;
};

inline constexpr double no_largest_size = std::numeric_limits<double>::infinity();

/// Classes of size. Latency dominates small messages and bandwidth large ones. The gradient buckets of training are in
/// the third and fourth class.
inline constexpr SizeClass size_classes[] = {
    {0, 16 << 10}, {16 << 10, 1 << 20}, {1 << 20, 16 << 20}, {16 << 20, 256 << 20}, {256 << 20, no_largest_size}};

/// Means of |predicted / measured - 1| for each method.
struct MeanErrors {
  int tables = 0;
  int sizes = 0;
  double cluster_file = 0;
  double two_sizes = 0;
  double line = 0;
  double held = 0; ///< share of sizes whose time is inside the interval
  double held_by_two_sizes = 0;
  double half_width = 0; ///< half of ln of the interval's high end over its low end
};

/// The ranges that hold 90 % of the means over resampled tables, for each method.
struct ErrorRanges {
  Range cluster_file{};
  Range two_sizes{};
  Range line{};
};

/// Says whether a point counts.
using Wanted = std::function<bool(const PredictedCollective&)>;

/// Mean errors over the sizes of a table, and then over tables, so that a table with many sizes has no more weight than
/// another.
MeanErrors mean_errors(const std::vector<PredictedCollective>& points, const Wanted& wanted);

/// At least one point must be wanted.
ErrorRanges error_ranges(const std::vector<PredictedCollective>& points, const Wanted& wanted);

bool is_of(const PredictedCollective& point, const SizeClass& size);
bool is_over_nccl(const PredictedCollective& point);

} // namespace ddlsim
