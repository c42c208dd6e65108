#pragma once
// The computes that a worker of an asynchronous parameter server draws, and which of its iterations count.

#include <cstdint>
#include <random>

namespace ddlsim {

/// Workers that start together and differ little would stay in lock-step for about 1/(2 pi spread)^2 iterations (63 at
/// 0.02, for ever at 0): the start's doing, not the steady state. So the first iterations of a round draw computes
/// evenly from 0 to twice the mean; four of them have a standard deviation of more than one compute, which loses the
/// start.
constexpr int stirring_iterations = 4;

/// Then queues come to their level at the true spread. Where workers pull each other together (see
/// `async_closed_form`) this takes 10 to 20 iterations: 8 workers at spread 0.05 that overlap pushes with backward need
/// 1.82, 1.94, 2.05, 2.07, 2.05, 2.07 computes an iteration after 2, 5, 10, 20, 40, 80 of them.
constexpr int settling_iterations = 16;

/// Few enough that a round is still mostly new draws, enough that stirring and settling are not most of the work twice.
constexpr int measured_iterations = 12;

constexpr int first_measured = stirring_iterations + settling_iterations;
constexpr int round_iterations = first_measured + measured_iterations;

inline bool is_measured(int iteration) {
  return iteration >= first_measured && iteration < round_iterations;
}

/// One worker's computes, in units of their mean. Own arithmetic: the standard's distributions differ between
/// libraries.
class ComputeDraws {
public:
  ComputeDraws(std::uint64_t seed, int worker, int round, double spread);

  /// Of the next iteration. Normal (a sum of 12 even draws) after the stirring, cut at a tenth of the mean and at its
  /// mirror image: time does not run backwards.
  double next();

private:
  double even();

  std::mt19937_64 random_;
  double spread_;
  int iteration_ = 0;
};

} // namespace ddlsim
