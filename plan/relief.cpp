#include "plan/relief.hpp"

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

constexpr Remedy all_remedies[] = {Remedy::time,  Remedy::money, Remedy::time_and_money, Remedy::nodes,
                                   Remedy::power, Remedy::gpus,  Remedy::memory};

double up_to_three_digits(double value) {
  constexpr double rounding = 1e-9;
  const double unit = std::pow(10, std::floor(std::log10(value)) - 2);
  return std::ceil(value / unit - rounding) * unit;
}

/// A deadline with three digits in the unit in which people read it.
double readable_deadline_s(double time_s) {
  constexpr double hour_s = 3600;
  constexpr double day_s = 24 * hour_s;
  const double unit_s = time_s >= 2 * day_s ? day_s : time_s >= 2 * hour_s ? hour_s : 60;
  return up_to_three_digits(time_s / unit_s) * unit_s;
}

double kept_share(const Evaluation& evaluation, const PlanLimits& limits) {
  const auto kept = std::count_if(evaluation.samples.begin(), evaluation.samples.end(),
                                  [&](const Outcome& sample) { return keeps_limits(sample, limits); });
  return static_cast<double>(kept) / static_cast<double>(evaluation.samples.size());
}

/// Whether the evaluation has all figures that the limits are about.
bool is_judged(const Evaluation& evaluation, const PlanLimits& limits) {
  return !evaluation.samples.empty() && (limits.budget_usd <= 0 || evaluation.likeliest.usd);
}

/// The figures of all samples, the least first.
std::vector<double> sorted_figures(const Evaluation& evaluation, PlanGoal goal) {
  std::vector<double> figures;
  for (const auto& sample : evaluation.samples) figures.push_back(figure_of(sample, goal));
  std::sort(figures.begin(), figures.end());
  return figures;
}

/// Raises one limit, or both, from sample to sample until the chance is reached. Returns nothing if it never is.
std::optional<PlanLimits> raised(const Evaluation& evaluation, PlanLimits limits, Remedy remedy) {
  const auto times_s = sorted_figures(evaluation, PlanGoal::time);
  const auto usd = sorted_figures(evaluation, PlanGoal::cost);
  const auto asked = limits;
  for (std::size_t i = 0; i < times_s.size(); ++i) {
    if (remedy != Remedy::money) limits.deadline_s = std::max(asked.deadline_s, readable_deadline_s(times_s[i]));
    if (remedy != Remedy::time) limits.budget_usd = std::max(asked.budget_usd, up_to_three_digits(usd[i]));
    if (kept_share(evaluation, limits) >= limits.chance) return limits;
  }
  return {};
}

/// The option for which the limits must be raised least.
std::optional<Relief> least_raised(const std::vector<Evaluation>& evaluations, const PlanLimits& asked, Remedy remedy) {
  std::optional<Relief> best;
  double least = 0;
  for (const auto& evaluation : evaluations) {
    if (!is_judged(evaluation, asked)) continue;
    const auto limits = raised(evaluation, asked, remedy);
    if (!limits) continue;
    const bool is_one_alone = limits->deadline_s == asked.deadline_s || limits->budget_usd == asked.budget_usd;
    if (remedy == Remedy::time_and_money && is_one_alone) continue;
    const double in_time = asked.deadline_s > 0 ? limits->deadline_s / asked.deadline_s : 1;
    const double in_money = asked.budget_usd > 0 ? limits->budget_usd / asked.budget_usd : 1;
    if (best && in_time * in_money >= least) continue;
    least = in_time * in_money;
    const auto& reported = evaluation.reported;
    best = Relief{remedy, reported.candidate, label_of(reported.strategy), reported.gpus};
    best->deadline_s = limits->deadline_s;
    best->budget_usd = limits->budget_usd;
    best->chance = kept_share(evaluation, *limits);
  }
  return best;
}

/// The smallest option that only nodes or only power stand against.
std::optional<Relief> smallest_refused(const Plan& plan, Refusal kind, Remedy remedy) {
  const RefusedOption* smallest = nullptr;
  const double most_power_w = plan.request.limits.power_w;
  const auto keeps_power = [&](const RefusedOption& one) {
    return kind != Refusal::nodes || most_power_w <= 0 || one.power_w <= most_power_w;
  };
  for (const auto& one : plan.refused)
    if (one.kind == kind && one.outcome && keeps_power(one) && keeps_limits(*one.outcome, judged_limits(plan)) &&
        (smallest == nullptr || one.nodes < smallest->nodes))
      smallest = &one;
  if (smallest == nullptr) return {};
  Relief relief{remedy, smallest->candidate, smallest->strategy, smallest->gpus};
  relief.nodes = smallest->nodes;
  relief.power_w = smallest->power_w;
  return relief;
}

/// The fastest option, if its candidate was asked about no larger scale and it misses the deadline.
std::optional<Relief> largest_too_slow(const std::vector<Evaluation>& evaluations, const Plan& plan) {
  const auto& limits = plan.request.limits;
  const auto fastest = std::min_element(evaluations.begin(), evaluations.end(), [](const auto& one, const auto& other) {
    return expected_figure(one, PlanGoal::time) < expected_figure(other, PlanGoal::time);
  });
  if (limits.deadline_s <= 0 || fastest->likeliest.time_s <= limits.deadline_s) return {};
  const auto& reported = fastest->reported;
  const bool any_larger = std::any_of(evaluations.begin(), evaluations.end(), [&](const auto& other) {
    return other.reported.candidate == reported.candidate && other.reported.gpus > reported.gpus;
  });
  if (any_larger) return {};
  return Relief{Remedy::gpus, reported.candidate, label_of(reported.strategy), reported.gpus};
}

/// The refused option on the fewest GPUs that lacks memory, and what of its run would have to change.
std::optional<Relief> least_memory(const Plan& plan) {
  const std::string words = "what would fit: ";
  const RefusedOption* fewest = nullptr;
  for (const auto& one : plan.refused)
    if (one.kind == Refusal::memory && (fewest == nullptr || one.gpus < fewest->gpus)) fewest = &one;
  if (fewest == nullptr) return {};
  Relief relief{Remedy::memory, fewest->candidate, fewest->strategy, fewest->gpus};
  if (const auto at = fewest->why.find(words); at != std::string::npos)
    relief.would_fit = fewest->why.substr(at + words.size());
  return relief;
}

} // namespace

std::string to_text(Remedy remedy) {
  switch (remedy) {
  case Remedy::time:
    return "time";
  case Remedy::money:
    return "money";
  case Remedy::time_and_money:
    return "time-and-money";
  case Remedy::nodes:
    return "nodes";
  case Remedy::power:
    return "power";
  case Remedy::gpus:
    return "gpus";
  case Remedy::memory:
    break;
  }
  return "memory";
}

std::vector<std::string> remedies() {
  std::vector<std::string> names;
  for (const auto remedy : all_remedies) names.push_back(to_text(remedy));
  return names;
}

std::vector<Relief> find_reliefs(const std::vector<Evaluation>& evaluations, const Plan& plan) {
  std::vector<Relief> found;
  if (plan.limits_met) return found;
  const auto add = [&](const std::optional<Relief>& relief) {
    if (relief) found.push_back(*relief);
  };
  const auto limits = judged_limits(plan);
  if (limits.deadline_s > 0) add(least_raised(evaluations, limits, Remedy::time));
  if (limits.budget_usd > 0) add(least_raised(evaluations, limits, Remedy::money));
  if (limits.deadline_s > 0 && limits.budget_usd > 0) add(least_raised(evaluations, limits, Remedy::time_and_money));
  add(smallest_refused(plan, Refusal::nodes, Remedy::nodes));
  add(smallest_refused(plan, Refusal::power, Remedy::power));
  add(largest_too_slow(evaluations, plan));
  add(least_memory(plan));
  return found;
}

} // namespace ddlsim
