#include "import/step_series.hpp"

#include "sim/base/statistics.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

constexpr std::size_t most_kept = 1U << 17U;   ///< most figures that are kept, which take a megabyte
constexpr std::size_t warm_up_share = 10;      ///< the warm-up is one part of this many
constexpr std::size_t fewest_for_warm_up = 10; ///< number of figures from which there is a warm-up
constexpr double pause_factor = 2;             ///< a pause takes this many times the median

} // namespace

void StepSeries::add(const PrintedNumber& figure) {
  if (count_ % every_ == 0) kept_.push_back(figure.value);
  rounding_ += figure.half_step / figure.value;
  ++count_;
  if (kept_.size() < most_kept) return;
  for (std::size_t i = 0; i < kept_.size() / 2; ++i) kept_[i] = kept_[2 * i];
  kept_.resize(kept_.size() / 2);
  every_ *= 2;
}

SteadySteps steady_steps(const StepSeries& series) {
  const auto& all = series.kept();
  SteadySteps steady;
  if (all.size() >= fewest_for_warm_up) steady.warm_up = all.size() / warm_up_share;
  steady.values.assign(all.begin() + static_cast<std::ptrdiff_t>(steady.warm_up), all.end());
  steady.median = median(steady.values);
  std::vector<double> without_pauses;
  for (const double value : steady.values)
    if (value <= pause_factor * steady.median && value >= steady.median / pause_factor) without_pauses.push_back(value);
  steady.pauses = steady.values.size() - without_pauses.size();
  if (!without_pauses.empty()) steady.relative_spread = standard_deviation(without_pauses) / mean(without_pauses);
  return steady;
}

} // namespace ddlsim
