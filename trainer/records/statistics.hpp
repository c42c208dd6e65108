#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace ddltrain {
/// Seconds of the machine's monotonic clock, from an arbitrary start.
inline double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What a list of repeated times amounts to, and when there are enough of them.

struct Summary {
  int count = 0;
  double median = 0;
  double mad = 0;                ///< median of the distances from the median
  double standard_deviation = 0; ///< of the samples (n - 1); 0 for one
  double lowest = 0;
  double highest = 0;
  /// Half the distance between the order statistics at (n + 1)/2 -+ sqrt(n)/2, which enclose the median with one
  /// standard error on each side whatever the distribution (the binomial interval; McKean and Schrader 1984),
  /// interpolated between neighbours. Infinite below fewest_samples.
  double median_standard_error = 0;
};

/// Below this the interval would reach beyond the samples or rest on the outermost two.
inline constexpr int fewest_samples = 5;

/// Fewer may lie close together by chance; they end a measurement only when its time is up.
inline constexpr int fewest_to_stop = 10;

/// Throws std::logic_error for no samples.
Summary summarise(const std::vector<double>& samples);

/// Until when a measurement is repeated.
struct RepeatLimits {
  int warm_up = 2;              ///< runs that are thrown away: caches, allocators, connections
  double relative_error = 0.01; ///< enough when the median's standard error is this share of it
  int most_repetitions = 100;
  double most_seconds = 10; ///< of one point, warm-up not counted; the fewest samples are taken in any case
};

/// Whether `samples`, which took `elapsed_s` altogether, are enough.
bool enough(const std::vector<double>& samples, double elapsed_s, const RepeatLimits& limits);

/// Runs `once`, which returns the time of one run in seconds, until there are enough.
std::vector<double> repeat(const std::function<double()>& once, const RepeatLimits& limits);

/// "MAD 0.4 %, standard error of the median 0.2 %", for a record's note.
std::string spread_text(const Summary& summary);

} // namespace ddltrain
