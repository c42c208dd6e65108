#include "plan/considered.hpp"
#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/base/statistics.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>
#include <tuple>

namespace ddlsim {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Simulated, error, iteration_s, efficiency, bottleneck, evidence, extrapolated,
                                   sample_times_s)

namespace {

/// The best of each offer by the goal, of those whose likeliest keeps the limits where any does.
std::vector<bool> best_of_offers(const std::vector<Considered>& all, PlanGoal goal, const PlanLimits& limits) {
  const auto rank = [&](const Considered& option) {
    return std::tuple(!keeps_limits(option.likeliest, limits), figure_of(option.likeliest, goal),
                      option.likeliest.time_s);
  };
  std::map<std::size_t, std::size_t> best;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto [place, is_first] = best.emplace(all[i].offer, i);
    if (!is_first && rank(all[i]) < rank(all[place->second])) place->second = i;
  }
  std::vector<bool> is_best(all.size());
  for (const auto& [offer, i] : best) is_best[i] = true;
  return is_best;
}

/// 1. What keeps the limits by its likeliest: nothing else can be a first choice.
/// 2. Of those the best of each offer, so that offers can be compared; then the front; then the least of the goal.
/// Where nothing keeps them, the shortest time is nearest.
std::vector<std::size_t> order_of_interest(const std::vector<Considered>& all, PlanGoal goal,
                                           const PlanLimits& limits) {
  const auto front = front_of(all);
  const auto is_best = best_of_offers(all, goal, limits);
  const bool any = std::any_of(all.begin(), all.end(),
                               [&](const Considered& option) { return keeps_limits(option.likeliest, limits); });
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto rank = [&](std::size_t i) {
    const auto& likeliest = all[i].likeliest;
    return std::tuple(!keeps_limits(likeliest, limits), any && !is_best[i], any && !front[i],
                      figure_of(likeliest, any ? goal : PlanGoal::time), likeliest.time_s);
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
  auto& reported = option.reported;
  reported.simulated = true;
  reported.time_s = likely(option.likeliest.time_s, times_s);
  if (option.likeliest.usd) reported.usd = likely(*option.likeliest.usd, usd);
  reported.kwh = likely(option.likeliest.kwh, kwh);
  reported.chance = kept / static_cast<double>(option.samples.size());
}

/// Samples are timed by the formulas: what SimGrid adds to the likeliest of them moves them all, as it does in predict.
void take_prediction(const Simulated& point, const std::vector<double>& lengths, Considered& option) {
  const auto& training = option.training;
  const auto& sample_times_s = point.sample_times_s;
  const double to_number = point.iteration_s / option.screened_iteration_s;
  option.likeliest = outcome_of(training, point.iteration_s);
  for (std::size_t i = 0; i < sample_times_s.size(); ++i)
    option.samples.push_back(outcome_of(training, sample_times_s[i] * to_number, lengths[i]));
  auto& reported = option.reported;
  reported.efficiency = point.efficiency;
  reported.bottleneck = point.bottleneck;
  reported.evidence = point.evidence;
  reported.extrapolated = point.extrapolated;
  reported.goodput = work_s(training, point.iteration_s) / option.likeliest.time_s;
}

Simulated simulated(const Considered& option, std::vector<Offer>& offers) {
  const auto& curve = curve_at(offers[option.offer], option.reported.batch_per_gpu);
  const auto [point, times_s] = predict_point(curve, option.reported.gpus, Fidelity::by_default);
  return {point.error,    point.iteration_s,  point.efficiency, point.bottleneck,
          point.evidence, point.extrapolated, times_s};
}

bool is_whole(const Simulated& one) {
  const auto is_time = [](double value) { return std::isfinite(value) && value > 0; };
  const auto& labels = values_of<EvidenceLabel>();
  return std::find(labels.begin(), labels.end(), one.evidence) != labels.end() &&
         (!one.error.empty() || (is_time(one.iteration_s) && !one.sample_times_s.empty() &&
                                 std::all_of(one.sample_times_s.begin(), one.sample_times_s.end(), is_time)));
}

} // namespace

std::string simulated_to_bytes(const Simulated& simulated) {
  return json_to_bytes(simulated);
}

Simulated simulated_from_bytes(const std::string& bytes) {
  try {
    auto one = json_from_bytes(bytes).get<Simulated>();
    if (is_whole(one)) return one;
  } catch (const nlohmann::json::exception&) { // told below
  }
  throw UserError("", "", "what a process found of an option cannot be read");
}

bool keeps_limits(const Outcome& outcome, const PlanLimits& limits) {
  const bool in_time = limits.deadline_s == 0 || outcome.time_s <= limits.deadline_s;
  const bool affordable = limits.budget_usd == 0 || (outcome.usd && *outcome.usd <= limits.budget_usd);
  return in_time && affordable;
}

void simulate(const PlanRequest& request, std::vector<Offer>& offers, PlanGoal goal, std::size_t most,
              const RunTasks& run_tasks, std::vector<Considered>& all, std::vector<RefusedOption>& refused) {
  const auto order = order_of_interest(all, goal, request.limits);
  std::vector<bool> impossible(all.size());
  const auto results = run_tasks(
      all_tasks(std::min(most, order.size())),
      [&](int task) { return simulated_to_bytes(simulated(all[order[static_cast<std::size_t>(task)]], offers)); }, {});
  for (std::size_t place = 0; place < results.size(); ++place) {
    if (!results[place].error.empty()) throw std::runtime_error(results[place].error);
    const auto answer = simulated_from_bytes(results[place].bytes);
    auto& option = all[order[place]];
    const auto& offer = offers[option.offer];
    impossible[order[place]] = !answer.error.empty();
    if (answer.error.empty()) {
      const auto samples = answer.sample_times_s.size();
      take_prediction(answer, drawn_lengths(*offer.length, option.training.global_batch, request.seed, samples),
                      option);
      tell_samples(request.limits, option);
    } else {
      refused.push_back({option.reported.candidate, label_of(offer.strategy), option.reported.gpus, answer.error});
    }
  }
  std::size_t next = 0;
  std::erase_if(all, [&](const Considered&) { return impossible[next++]; });
}

} // namespace ddlsim
