#pragma once
// The computes that a worker of an asynchronous parameter server draws, and which of its iterations count.

#include <algorithm>
#include <cstdint>
#include <random>

namespace ddlsim {

/// Workers that start together and differ little would stay in lock-step for about 1/(2 pi spread)^2 iterations (63 at
/// 0.02, for ever at 0, longer still where most of an iteration is transfer): an effect of the start, not the steady
/// state. So the first iterations of a round draw computes evenly from 0 to two iterations; the sum of four such draws
/// has a standard deviation of more than one iteration, after which the start no longer matters.
constexpr int stirring_iterations = 4;

/// Iterations in which queues then reach their level at the true spread. Where workers gather (see `async_closed_form`)
/// this takes 10 to 20 iterations: 8 workers at spread 0.05 that overlap pushes with backward need
/// 1.82, 1.94, 2.05, 2.07, 2.05, 2.07 computes an iteration after 2, 5, 10, 20, 40, 80 of them.
constexpr int settling_iterations = 16;

/// More would give less new information an iteration; with fewer, stirring and settling would be most of the work.
constexpr int measured_iterations = 12;

constexpr int first_measured = stirring_iterations + settling_iterations;
constexpr int round_iterations = first_measured + measured_iterations;

/// Rounds before their own scatter is used. Few workers hardly change phase within a round and often do not meet at
/// all, so that their first rounds are alike by chance (2 workers: 103 rounds); rounds of many workers are costly and
/// scatter little (64 workers: 3). One worker meets no other.
inline int fewest_rounds(int workers) {
  return workers == 1 ? 3 : 3 + 400 / (workers * workers);
}

inline bool is_measured(int iteration) {
  return iteration >= first_measured && iteration < round_iterations;
}

/// One worker's computes, in units of their mean. `iteration` is a whole iteration in that unit, about. Own arithmetic: the standard's distributions differ between
/// libraries.
class ComputeDraws {
public:
  ComputeDraws(std::uint64_t seed, int worker, int round, double spread, double iteration)
      : spread_(spread), stirring_(2 * iteration) {
    std::seed_seq words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U),
                        static_cast<std::uint32_t>(worker), static_cast<std::uint32_t>(round)};
    random_.seed(words);
  }

  /// Compute of the next iteration. After the stirring normal (a sum of 12 even draws), cut at a tenth of the mean, so
  /// that no compute is negative, and as far above the mean, so that the mean stays.
  double next() {
    constexpr double least = 0.1;
    constexpr int terms = 12; // the variance of an even draw is 1/12
    if (iteration_++ < stirring_iterations) return stirring_ * even();
    double normal = -0.5 * terms;
    for (int i = 0; i < terms; ++i) {
      normal += even();
    }
    return std::clamp(1 + spread_ * normal, least, 2 - least);
  }

private:
  double even() {
    constexpr double steps = 9007199254740992.0; // 2^53, the digits of a double
    return (static_cast<double>(random_() >> 11U) + 0.5) / steps;
  }

  std::mt19937_64 random_;
  double spread_;
  double stirring_; ///< most of a compute while phases are stirred
  int iteration_ = 0;
};

} // namespace ddlsim
