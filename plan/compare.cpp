#include "plan/compare.hpp"

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

std::size_t paired(const Evaluation& one, const Evaluation& other) {
  return std::min(one.samples.size(), other.samples.size());
}

/// The figure by which outcomes are compared that all keep the limits, or that all miss them.
double figure_among(const Outcome& outcome, PlanGoal goal, const PlanLimits& limits, bool all_keep) {
  return all_keep ? figure_of(outcome, goal) : overshoot(outcome.time_s, figure_of(outcome, PlanGoal::cost), limits);
}

DiscriminatingMeasurement discriminating_on(const Evaluation& evaluation, const std::vector<double>& ratios,
                                            std::vector<PlanOption>& options) {
  const auto& reported = evaluation.reported;
  const auto next =
      find_measure_next(curve_at(options[evaluation.option], reported.batch_per_gpu), reported.gpus, ratios);
  return {reported.candidate, reported.gpus, next.parameter, next.what, next.interval_now, next.interval_then};
}

} // namespace

double chance_of_better(const Evaluation& other, const Evaluation& one, PlanGoal goal, const PlanLimits& limits) {
  const std::size_t count = paired(one, other);
  double better = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const bool keeps = keeps_limits(other.samples[i], limits);
    const bool one_keeps = keeps_limits(one.samples[i], limits);
    const bool less =
        figure_among(other.samples[i], goal, limits, keeps) < figure_among(one.samples[i], goal, limits, keeps);
    if (keeps != one_keeps ? keeps : less) ++better;
  }
  return count > 0 ? better / static_cast<double>(count) : 0;
}

DiscriminatingMeasurement find_discriminating(const Evaluation& one, const Evaluation& other, PlanGoal goal,
                                              std::vector<PlanOption>& options) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < paired(one, other); ++i)
    ratios.push_back(figure_of(other.samples[i], goal) / figure_of(one.samples[i], goal));
  if (!std::all_of(ratios.begin(), ratios.end(), [](double ratio) { return std::isfinite(ratio) && ratio > 0; }))
    return {};
  const auto here = discriminating_on(one, ratios, options);
  const auto there = discriminating_on(other, ratios, options);
  if (here.parameter.empty() || there.parameter.empty()) return here.parameter.empty() ? there : here;
  return there.interval_then < here.interval_then ? there : here;
}

} // namespace ddlsim
