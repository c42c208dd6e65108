#pragma once
// Random compute times of a worker of an asynchronous parameter server, and which of its iterations are measured.

#include <algorithm>
#include <cstdint>
#include <random>

namespace ddlsim {

/// Number of iterations whose compute times are drawn so widely that the common start is forgotten. Workers that start
/// together and differ little would stay in lock-step for about 1/(2 pi spread)^2 iterations (63 at a spread of 0.02,
/// for ever at 0, and longer where most of an iteration is transfer). That is an effect of the start, and not the
/// steady state. So the first iterations of a round draw computes uniformly from 0 to two iterations. The sum of four
/// such draws has a standard deviation of more than one iteration, after which the start no longer matters.
constexpr int stirring_iterations = 4;

/// Number of iterations after that in which queues reach their steady level at the real spread. Where workers bunch up
/// (see `async_closed_form`) this takes 10 to 20 iterations: for 8 workers at spread 0.05 that overlap pushes with
/// backward, one iteration takes 1.82, 1.94, 2.05, 2.07, 2.05, 2.07 computes after 2, 5, 10, 20, 40, 80 iterations.
constexpr int settling_iterations = 16;

/// Number of iterations that are measured in a round. More would add less information each; with fewer, most of the
/// work would go to the iterations before them.
constexpr int measured_iterations = 12;

constexpr int first_measured = stirring_iterations + settling_iterations;
constexpr int round_iterations = first_measured + measured_iterations;

/// Number of rounds before the standard error is computed from them. Few workers hardly change phase within a round and
/// often do not meet at all, so their first rounds may agree by chance (2 workers: 103 rounds). Rounds of many workers
/// are costly and scatter little (64 workers: 3 rounds). A single worker meets no other.
inline int fewest_rounds(int workers) {
  return workers == 1 ? 3 : 3 + 400 / (workers * workers);
}

inline bool is_measured(int iteration) {
  return iteration >= first_measured && iteration < round_iterations;
}

/// Draws one worker's compute times, in units of their mean. `iteration` is the approximate length of a whole iteration
/// in that unit. It has its own arithmetic, because the standard's distributions differ between libraries.
class ComputeDraws {
public:
  ComputeDraws(std::uint64_t seed, int worker, int round, double spread, double iteration)
      : spread_(spread), stirring_(2 * iteration) {
    std::seed_seq words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U),
                        static_cast<std::uint32_t>(worker), static_cast<std::uint32_t>(round)};
    random_.seed(words);
  }

  /// Returns the compute of the next iteration. After the first stirring_iterations it is normal (a sum of 12 uniform
  /// draws) and at least a tenth of the mean, so that none is negative. The upper limit is as far above the mean, so
  /// that the mean stays.
  double next() {
    constexpr double least = 0.1;
    constexpr int terms = 12; // twelve, because the variance of a uniform draw is 1/12
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
  double stirring_; ///< longest compute in the first stirring_iterations
  int iteration_ = 0;
};

} // namespace ddlsim
