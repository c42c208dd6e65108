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

// Statistics of repeated times, and the rule that ends the repetitions.

struct Summary {
  int count = 0;
  double median = 0;
  double mad = 0;                ///< median of the distances of the samples from their median
  double standard_deviation = 0; ///< standard deviation of the samples (divided by n - 1); 0 for one sample
  double lowest = 0;
  double highest = 0;
  /// Half the distance between the order statistics at (n + 1)/2 -+ sqrt(n)/2, which enclose the median with one
  /// standard error on each side whatever the distribution (the binomial interval; McKean and Schrader 1984),
  /// interpolated between neighbours. Infinite below fewest_samples.
  double median_standard_error = 0;
};

/// With fewer samples the interval would reach beyond them or rest on the outermost two.
inline constexpr int fewest_samples = 5;

/// Fewer samples may lie close together by chance; they end a measurement only when its time is up.
inline constexpr int fewest_to_stop = 10;

/// Returns the statistics of the samples. Throws std::logic_error when there are none.
Summary summarise(const std::vector<double>& samples);

/// When the repetitions of a measurement end.
struct RepeatLimits {
  int warm_up = 2;              ///< number of runs that are discarded: caches, allocators and connections warm up
  double relative_error = 0.01; ///< a median's standard error of this share of the median ends the repetitions
  int most_repetitions = 100;
  double most_seconds = 10; ///< longest time of one point without its warm-up; kFewestSamples are taken in any case
};

/// Returns whether `samples`, which took `elapsed_s` altogether, are enough.
bool enough(const std::vector<double>& samples, double elapsed_s, const RepeatLimits& limits);

/// Calls `once`, which returns the time of one run in seconds, until there are enough samples.
std::vector<double> repeat(const std::function<double()>& once, const RepeatLimits& limits);

/// "MAD 0.4 %, standard error of the median 0.2 %", for a record's note.
std::string spread_text(const Summary& summary);

} // namespace ddltrain
