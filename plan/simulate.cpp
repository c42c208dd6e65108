#include "plan/considered.hpp"
#include "sim/base/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace ddlsim {
namespace {

/// The front first, then by the goal; where figures tie, by time.
std::vector<std::size_t> order_of_interest(const std::vector<Considered>& all, PlanGoal goal) {
  const auto front = front_of(all);
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto rank = [&](std::size_t i) {
    return std::tuple(!front[i], figure_of(all[i].likeliest, goal), all[i].likeliest.time_s);
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  return order;
}

Likely likely(double value, const std::vector<double>& samples) {
  return {value, median(samples), std::min(value, quantile(samples, low_tail)),
          std::max(value, quantile(samples, high_tail))};
}

void tell_samples(const PlanLimits& limits, Considered& option) {
  std::vector<double> times_s;
  std::vector<double> usd;
  std::vector<double> kwh;
  double kept = 0;
  for (const auto& sample : option.samples) {
    times_s.push_back(sample.time_s);
    usd.push_back(sample.usd.value_or(0));
    kwh.push_back(sample.kwh);
    if (keeps_limits(sample, limits)) ++kept;
  }
  auto& told = option.told;
  told.simulated = true;
  told.time_s = likely(option.likeliest.time_s, times_s);
  if (option.likeliest.usd) told.usd = likely(*option.likeliest.usd, usd);
  told.kwh = likely(option.likeliest.kwh, kwh);
  told.chance = kept / static_cast<double>(option.samples.size());
}

/// Samples are timed by screening: what SimGrid adds to the likeliest of them moves them all, as it does in predict.
void take_prediction(const PredictedPoint& point, const std::vector<double>& sample_times_s, Considered& option) {
  const auto& training = option.training;
  const double to_number = point.iteration_s / (option.screened_iteration_s * point.mixture_ratio);
  option.likeliest = outcome_of(training, point.iteration_s);
  for (const double time_s : sample_times_s) option.samples.push_back(outcome_of(training, time_s * to_number));
  auto& told = option.told;
  told.efficiency = point.efficiency;
  told.bottleneck = point.bottleneck;
  told.evidence = point.evidence;
  told.extrapolated = point.extrapolated;
  told.goodput = (training.iterations * point.iteration_s + training.evaluation_s) / option.likeliest.time_s;
}

} // namespace

bool keeps_limits(const Outcome& outcome, const PlanLimits& limits) {
  const bool in_time = limits.deadline_s == 0 || outcome.time_s <= limits.deadline_s;
  const bool affordable = limits.budget_usd == 0 || (outcome.usd && *outcome.usd <= limits.budget_usd);
  return in_time && affordable;
}

void simulate(const PlanRequest& request, std::vector<Offer>& offers, PlanGoal goal, std::size_t most,
              const std::function<void(const std::string&)>& progress, std::vector<Considered>& all,
              std::vector<RefusedOption>& refused) {
  const auto order = order_of_interest(all, goal);
  std::vector<bool> impossible(all.size());
  for (std::size_t place = 0; place < std::min(most, order.size()); ++place) {
    auto& option = all[order[place]];
    auto& offer = offers[option.offer];
    if (progress)
      progress(fmt::format("{} with {} at {} GPUs", option.told.candidate, label_of(offer.strategy), option.told.gpus));
    const auto& curve = curve_at(offer, option.told.batch_per_gpu);
    const auto answer = predict_point(curve, option.told.gpus, Fidelity::automatic);
    impossible[order[place]] = !answer.point.error.empty();
    if (answer.point.error.empty()) {
      take_prediction(answer.point, answer.sample_times_s, option);
      tell_samples(request.limits, option);
    } else {
      refused.push_back({option.told.candidate, label_of(offer.strategy), option.told.gpus, answer.point.error});
    }
  }
  std::size_t next = 0;
  std::erase_if(all, [&](const Considered&) { return impossible[next++]; });
}

} // namespace ddlsim
