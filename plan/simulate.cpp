#include "plan/simulate.hpp"

#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/base/statistics.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <compare>
#include <map>
#include <numeric>
#include <stdexcept>

namespace ddlsim {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Simulated, error, iteration_s, efficiency, bottleneck, evidence, extrapolated,
                                   sample_times_s)

namespace {

/// The order of simulation: smaller comes first, field by field.
struct Rank {
  bool breaks_limits = false;
  bool is_not_best = false;  ///< whether another evaluation of the same option is better
  bool is_off_front = false; ///< whether another evaluation is better in time, cost and energy together
  double figure = 0;         ///< figure of the goal
  double time_s = 0;
  auto operator<=>(const Rank&) const = default;
};

/// Marks the best evaluation of each option by the goal. If the likeliest outcome of some of them keeps the limits,
/// only these count.
std::vector<bool> best_of_options(const std::vector<Evaluation>& all, PlanGoal goal, const PlanLimits& limits) {
  const auto rank = [&](const Evaluation& evaluation) {
    return Rank{.breaks_limits = !keeps_limits(evaluation.likeliest, limits),
                .figure = figure_of(evaluation.likeliest, goal),
                .time_s = evaluation.likeliest.time_s};
  };
  std::map<std::size_t, std::size_t> best;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto [place, is_first] = best.emplace(all[i].option, i);
    if (!is_first && rank(all[i]) < rank(all[place->second])) place->second = i;
  }
  std::vector<bool> is_best(all.size());
  for (const auto& [option, i] : best) is_best[i] = true;
  return is_best;
}

/// Indices of evaluations, the most promising first.
/// 1. Those whose likeliest outcome keeps the limits come first: nothing else can be a first choice.
/// 2. Among them comes the best of each option, so that options can be compared; then the Pareto front; then the least
///    of the goal.
/// Where none keeps the limits, the one that misses them least comes first.
std::vector<std::size_t> order_of_interest(const std::vector<Evaluation>& all, PlanGoal goal,
                                           const PlanLimits& limits) {
  const auto front = front_of(all);
  const auto is_best = best_of_options(all, goal, limits);
  const bool any = std::any_of(
      all.begin(), all.end(), [&](const Evaluation& evaluation) { return keeps_limits(evaluation.likeliest, limits); });
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto rank = [&](std::size_t i) {
    const auto& likeliest = all[i].likeliest;
    return Rank{.breaks_limits = !keeps_limits(likeliest, limits),
                .is_not_best = any && !is_best[i],
                .is_off_front = any && !front[i],
                .figure = any ? figure_of(likeliest, goal)
                              : overshoot(likeliest.time_s, figure_of(likeliest, PlanGoal::cost), limits),
                .time_s = likeliest.time_s};
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  return order;
}

Estimate estimate(double value, const std::vector<double>& samples) {
  return {value, median(samples), std::min(value, quantile(samples, low_tail)),
          std::max(value, quantile(samples, high_tail))};
}

void summarise_samples(const PlanLimits& limits, Evaluation& evaluation) {
  std::vector<double> times_s;
  std::vector<double> usd;
  std::vector<double> kwh;
  double kept = 0;
  double in_time = 0;
  double in_budget = 0;
  for (const auto& sample : evaluation.samples) {
    times_s.push_back(sample.time_s);
    usd.push_back(sample.usd.value_or(0));
    kwh.push_back(sample.kwh);
    if (keeps_limits(sample, limits)) ++kept;
    if (keeps_limits(sample, {.deadline_s = limits.deadline_s})) ++in_time;
    if (keeps_limits(sample, {.budget_usd = limits.budget_usd})) ++in_budget;
  }
  auto& reported = evaluation.reported;
  reported.simulated = true;
  reported.time_s = estimate(evaluation.likeliest.time_s, times_s);
  if (evaluation.likeliest.usd) reported.usd = estimate(*evaluation.likeliest.usd, usd);
  reported.kwh = estimate(evaluation.likeliest.kwh, kwh);
  const auto count = static_cast<double>(evaluation.samples.size());
  reported.chance = kept / count;
  reported.deadline_chance = in_time / count;
  reported.budget_chance = in_budget / count;
}

/// Takes the prediction of each sample by the closed formulas. If SimGrid timed the likeliest parameters, its ratio to
/// the formula scales every sample, as in `predict`.
void take_prediction(const Simulated& point, const std::vector<double>& lengths, Evaluation& evaluation) {
  const auto& training = evaluation.training;
  const auto& sample_times_s = point.sample_times_s;
  const double to_number = point.iteration_s / evaluation.screened_iteration_s;
  evaluation.likeliest = outcome_of(training, point.iteration_s);
  std::vector<double> iterations_s;
  for (std::size_t i = 0; i < sample_times_s.size(); ++i) {
    iterations_s.push_back(sample_times_s[i] * to_number);
    evaluation.samples.push_back(outcome_of(training, iterations_s.back(), lengths[i]));
  }
  auto& reported = evaluation.reported;
  reported.iteration_s = estimate(point.iteration_s, iterations_s);
  set_rates(training, reported.iteration_s.median, reported);
  reported.efficiency = point.efficiency;
  reported.bottleneck = point.bottleneck;
  reported.evidence = point.evidence;
  reported.extrapolated = point.extrapolated;
  reported.goodput = work_s(training, point.iteration_s) / evaluation.likeliest.time_s;
}

Simulated simulated(const Evaluation& evaluation, std::vector<PlanOption>& options) {
  const auto& curve = curve_at(options[evaluation.option], evaluation.reported.batch_per_gpu);
  const auto [point, times_s] = predict_point(curve, evaluation.reported.gpus, Fidelity::by_default);
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
  } catch (const nlohmann::json::exception&) { // the error is reported below
  }
  throw UserError("", "", "what a process found of an option cannot be read");
}

void simulate(const PlanRequest& request, std::vector<PlanOption>& options, PlanGoal goal, std::size_t most,
              const RunTasks& run_tasks, std::vector<Evaluation>& evaluations, std::vector<RefusedOption>& refused) {
  const auto order = order_of_interest(evaluations, goal, request.limits);
  std::vector<bool> impossible(evaluations.size());
  const auto results =
      run_tasks(all_tasks(std::min(most, order.size())),
                [&](int task) {
                  return simulated_to_bytes(simulated(evaluations[order[static_cast<std::size_t>(task)]], options));
                },
                {});
  for (std::size_t place = 0; place < results.size(); ++place) {
    if (!results[place].error.empty()) throw std::runtime_error(results[place].error);
    const auto answer = simulated_from_bytes(results[place].bytes);
    auto& evaluation = evaluations[order[place]];
    const auto& option = options[evaluation.option];
    impossible[order[place]] = !answer.error.empty();
    if (answer.error.empty()) {
      const auto samples = answer.sample_times_s.size();
      take_prediction(answer, drawn_lengths(*option.length, evaluation.training.global_batch, request.seed, samples),
                      evaluation);
      summarise_samples(request.limits, evaluation);
    } else {
      refused.push_back({evaluation.reported.candidate, label_of(option.strategy), evaluation.reported.gpus,
                         answer.error, Refusal::impossible});
    }
  }
  std::size_t next = 0;
  std::erase_if(evaluations, [&](const Evaluation&) { return impossible[next++]; });
}

} // namespace ddlsim
