#pragma once
// The figures of one form of step lines, however many, and what a steady step is of them.

#include "import/plain_text.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

/// Figures in the log's order. Beyond some hundred thousand only every second, fourth ... is kept, evenly, so that a
/// log of any length takes little memory.
class StepSeries {
public:
  void add(const PrintedNumber& figure);
  std::size_t count() const { return count_; } ///< of all that were added
  bool empty() const { return count_ == 0; }
  const std::vector<double>& kept() const { return kept_; }
  /// Half a step of the last printed digit as a share of the figure, on average.
  double rounding_share() const { return count_ == 0 ? 0 : rounding_ / static_cast<double>(count_); }

private:
  std::vector<double> kept_;
  std::size_t count_ = 0;
  double rounding_ = 0;   ///< sum of the shares
  std::size_t every_ = 1; ///< which of the figures are kept
};

/// A series behind its start.
struct SteadySteps {
  std::vector<double> values; ///< in the log's order
  double median = 0;
  double relative_spread = 0; ///< standard deviation over mean, without pauses
  std::size_t warm_up = 0;    ///< figures of the start that were left out
  std::size_t pauses = 0; ///< figures more than twice the median or less than half of it: evaluation, a checkpoint, a
                          ///< restart
};

/// Leaves out the first tenth of ten figures or more. The series has a figure.
SteadySteps steady_steps(const StepSeries& series);

} // namespace ddlsim
