#pragma once
// All figures of one form of step lines, and the steady step that follows from them.

#include "import/plain_text.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

/// Figures in the log's order. Beyond some hundred thousand only every second, fourth ... figure is kept, so that a log
/// of any length needs little memory.
class StepSeries {
public:
  void add(const PrintedNumber& figure);
  std::size_t count() const { return count_; } ///< of all figures added
  bool empty() const { return count_ == 0; }
  const std::vector<double>& kept() const { return kept_; }
  /// Half a unit of the last printed digit as a share of the figure, on average.
  double rounding_share() const { return count_ == 0 ? 0 : rounding_ / static_cast<double>(count_); }

private:
  std::vector<double> kept_;
  std::size_t count_ = 0;
  double rounding_ = 0;   ///< sum of the shares
  std::size_t every_ = 1; ///< n, if every n-th figure is kept
};

/// A series without its warm-up.
struct SteadySteps {
  std::vector<double> values; ///< in the log's order
  double median = 0;
  double relative_spread = 0; ///< standard deviation over mean, pauses excluded
  std::size_t warm_up = 0;    ///< figures left out at the start
  std::size_t pauses = 0; ///< figures above twice the median or below half of it: evaluation, a checkpoint, a restart
};

/// Leaves out the first tenth if there are ten figures or more. The series must not be empty.
SteadySteps steady_steps(const StepSeries& series);

} // namespace ddlsim
