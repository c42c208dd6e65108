#include "plan/considered.hpp"
#include "sim/base/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

std::size_t paired(const Considered& one, const Considered& other) {
  return std::min(one.samples.size(), other.samples.size());
}

SettlingMeasurement settling_on(const Considered& option, const std::vector<double>& ratios,
                                std::vector<Offer>& offers) {
  const auto& reported = option.reported;
  const auto next = find_measure_next(curve_at(offers[option.offer], reported.batch_per_gpu), reported.gpus, ratios);
  return {reported.candidate, reported.gpus, next.parameter, next.what, next.interval_now, next.interval_then};
}

} // namespace

double expected_figure(const Considered& option, PlanGoal goal) {
  if (option.samples.empty()) return figure_of(option.likeliest, goal);
  std::vector<double> figures;
  for (const auto& sample : option.samples) figures.push_back(figure_of(sample, goal));
  return std::isfinite(figures.front()) ? median(figures) : figures.front();
}

double chance_of_better(const Considered& other, const Considered& one, PlanGoal goal, const PlanLimits& limits) {
  const std::size_t count = paired(one, other);
  double better = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const bool keeps = keeps_limits(other.samples[i], limits);
    const bool one_keeps = keeps_limits(one.samples[i], limits);
    const bool less = figure_of(other.samples[i], goal) < figure_of(one.samples[i], goal);
    if (keeps != one_keeps ? keeps : less) ++better;
  }
  return count > 0 ? better / static_cast<double>(count) : 0;
}

SettlingMeasurement find_settling(const Considered& one, const Considered& other, PlanGoal goal,
                                  std::vector<Offer>& offers) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < paired(one, other); ++i)
    ratios.push_back(figure_of(other.samples[i], goal) / figure_of(one.samples[i], goal));
  if (!std::all_of(ratios.begin(), ratios.end(), [](double ratio) { return std::isfinite(ratio) && ratio > 0; }))
    return {};
  const auto here = settling_on(one, ratios, offers);
  const auto there = settling_on(other, ratios, offers);
  if (here.parameter.empty() || there.parameter.empty()) return here.parameter.empty() ? there : here;
  return there.interval_then < here.interval_then ? there : here;
}

} // namespace ddlsim
