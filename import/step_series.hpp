#pragma once
// All figures of one form of step lines, and the steady step that they show.

#include "import/plain_text.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

/// Figures in the order of the log. Beyond some hundred thousand only every second, fourth, ... figure is kept, so that
/// a log of any length needs little memory.
class StepSeries {
public:
  void add(const PrintedNumber& figure);
  std::size_t count() const { return count_; } ///< number of all figures that were added
  bool empty() const { return count_ == 0; }
  const std::vector<double>& kept() const { return kept_; }
  /// Returns half a unit of the last printed digit as a share of the figure, on average.
  double rounding_share() const { return count_ == 0 ? 0 : rounding_ / static_cast<double>(count_); }

private:
  std::vector<double> kept_;
  std::size_t count_ = 0;
  double rounding_ = 0;   ///< sum of the shares of rounding
  std::size_t every_ = 1; ///< n, where every n-th figure is kept
};

/// A series without its warm-up.
struct SteadySteps {
  std::vector<double> values; ///< figures in the order of the log
  double median = 0;
  double relative_spread = 0; ///< standard deviation over mean, without pauses
  std::size_t warm_up = 0;    ///< number of figures left out at the start
  /// number of figures above twice the median or below half of it: evaluation, a checkpoint, a restart
  std::size_t pauses = 0;
};

/// Leaves out the first tenth if there are at least ten figures. The series must not be empty.
SteadySteps steady_steps(const StepSeries& series);

} // namespace ddlsim
