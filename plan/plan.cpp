#include "plan/plan.hpp"

#include "plan/choice_reason.hpp"
#include "plan/compare.hpp"
#include "plan/relief.hpp"
#include "plan/screen.hpp"
#include "plan/simulate.hpp"
#include "sim/base/error.hpp"
#include "sim/base/units.hpp"
#include "sim/iteration/memory_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <compare>

namespace ddlsim {
namespace {

bool all_lack(const std::vector<Evaluation>& evaluations, PlanGoal goal) {
  return std::all_of(evaluations.begin(), evaluations.end(),
                     [&](const Evaluation& evaluation) { return std::isinf(figure_of(evaluation.likeliest, goal)); });
}

/// Chooses the figure to rank by: that of the goal; energy if no candidate has a price; time if no power is known
/// either.
void choose_goal(const std::vector<Evaluation>& evaluations, Plan& plan) {
  plan.ranked_by = plan.request.goal;
  if (plan.ranked_by == PlanGoal::cost && all_lack(evaluations, PlanGoal::cost)) {
    plan.ranked_by = PlanGoal::energy;
    plan.why_other_goal = "no candidate has a price: ranked by energy";
  }
  if (plan.ranked_by == PlanGoal::energy && all_lack(evaluations, PlanGoal::energy)) {
    plan.ranked_by = PlanGoal::time;
    plan.why_other_goal += plan.why_other_goal.empty() ? "no candidate's power is known: ranked by time"
                                                       : ", and of none the power is known: ranked by time";
  }
}

/// Whether the evaluation keeps the limits with the requested probability.
bool meets(const Evaluation& evaluation, const Plan& plan) {
  return evaluation.reported.simulated && evaluation.reported.chance >= plan.request.limits.chance;
}

/// By how much the medians miss the limits: the largest ratio to one of them.
double overshoot_of(const Evaluation& evaluation, const PlanLimits& limits) {
  return overshoot(expected_figure(evaluation, PlanGoal::time), expected_figure(evaluation, PlanGoal::cost), limits);
}

/// The sort key of the report: smaller comes first, field by field.
struct ReportRank {
  bool misses_limits = false; ///< whether its probability to keep the limits is below the requested one
  bool is_only_screened = false;
  /// 0 if it keeps the limits; else minus its probability to keep them, or by how much it misses them where all do
  double missed = 0;
  double figure = 0; ///< expected figure of the goal
  double time_s = 0;
  auto operator<=>(const ReportRank&) const = default;
};

/// Sorts the evaluations. First come those that meet the limits, by the median of the goal over their samples; then
/// those that may meet them, by their chance; then those that were only screened. Where none meets the limits, the one
/// that misses them least comes first: in all of them the chance may be 0.
void sort_by_goal(const Plan& plan, std::vector<Evaluation>& evaluations) {
  const auto limits = judged_limits(plan);
  const bool any = std::any_of(evaluations.begin(), evaluations.end(),
                               [&](const Evaluation& evaluation) { return meets(evaluation, plan); });
  const auto rank = [&](const Evaluation& evaluation) {
    const bool in = meets(evaluation, plan);
    const double missed = any ? -evaluation.reported.chance : overshoot_of(evaluation, limits);
    return ReportRank{.misses_limits = !in,
                      .is_only_screened = !evaluation.reported.simulated,
                      .missed = in ? 0 : missed,
                      .figure = expected_figure(evaluation, plan.ranked_by),
                      .time_s = evaluation.likeliest.time_s};
  };
  std::stable_sort(evaluations.begin(), evaluations.end(),
                   [&](const Evaluation& one, const Evaluation& other) { return rank(one) < rank(other); });
}

/// Whether the evaluation has the figure that ranks and the figures that the limits are about.
bool is_comparable(const Evaluation& evaluation, const Plan& plan) {
  const bool is_judged = judged_limits(plan).budget_usd <= 0 || evaluation.likeliest.usd;
  return evaluation.reported.simulated && is_judged && std::isfinite(figure_of(evaluation.likeliest, plan.ranked_by));
}

/// Index of the runner-up: the best one after the first choice that has another candidate, else another strategy, else
/// another scale.
std::optional<std::size_t> find_runner_up(const std::vector<Evaluation>& evaluations, const Plan& plan) {
  const auto& first = evaluations.front();
  if (!is_comparable(first, plan)) return {};
  std::optional<std::size_t> of_strategy;
  std::optional<std::size_t> of_scale;
  for (std::size_t i = 1; i < evaluations.size(); ++i) {
    if (!is_comparable(evaluations[i], plan)) continue;
    if (evaluations[i].reported.candidate != first.reported.candidate) return i;
    auto& place = evaluations[i].option != first.option ? of_strategy : of_scale;
    if (!place) place = i;
  }
  return of_strategy ? of_strategy : of_scale;
}

void compare_with_runner_up(const std::vector<Evaluation>& evaluations, std::vector<PlanOption>& options, Plan& plan) {
  plan.runner_up = find_runner_up(evaluations, plan);
  if (!plan.runner_up) return;
  const auto& other = evaluations[*plan.runner_up];
  plan.runner_up_better = chance_of_better(other, evaluations.front(), plan.ranked_by, judged_limits(plan));
  plan.discriminating = find_discriminating(evaluations.front(), other, plan.ranked_by, options);
}

/// The warnings about an option. A request may give a candidate another network than its cluster has. Nothing was
/// measured on that network, so one warning says this in place of the warnings about an outdated calibration.
std::vector<std::string> warnings_of(const PlanOption& option) {
  const auto& candidate = *option.candidate;
  const auto& warnings = option.files->warnings();
  if (candidate.network_Bps <= 0 || warnings.empty()) return warnings;
  return {fmt::format("{}: with NICs of {} what was measured of the network of {} does not hold; priors take its place",
                      candidate.name, print_quantity(candidate.network_Bps, Dimension::bandwidth), candidate.cluster)};
}

CandidateMachine machine_of(const PlanOption& option) {
  const auto& known = option.files->knowledge();
  const auto& gpu = find_device(known.gpus, known.cluster.gpu);
  CandidateMachine machine{option.candidate->name,
                           option.candidate->cluster,
                           gpu.name,
                           known.cluster.gpus_per_node,
                           option.costs.usd_per_hour,
                           option.costs.price_date,
                           std::nullopt,
                           gpu.memory_bytes > 0 ? installed_bytes(gpu) : 0};
  if (option.costs.power_w > 0) machine.power_w = option.costs.power_w;
  return machine;
}

void add_prices_and_warnings(const std::vector<PlanOption>& options, Plan& plan) {
  const PlanCandidate* candidate = nullptr;
  for (const auto& option : options) {
    if (option.candidate == candidate) continue;
    candidate = option.candidate;
    plan.machines.push_back(machine_of(option));
    plan.prices.push_back(fmt::format("{}: {}; {}", candidate->name, option.costs.price_text, option.costs.power_text));
    for (const auto& warning : warnings_of(option)) plan.warnings.push_back(warning);
  }
}

/// Warns about batches that are larger than any known to reach the target, if the request gives the epochs itself.
void warn_of_batches(const std::vector<Evaluation>& evaluations, const DataFolder& data, Plan& plan) {
  const auto& work = plan.request.workload;
  if (!work.convergence.empty()) return;
  double largest = 0;
  for (const auto& evaluation : evaluations) largest = std::max(largest, evaluation.training.global_batch);
  for (const auto& name : list_convergence(data)) {
    const auto convergence = load_convergence(data, name);
    const double known = convergence.points.back().global_batch;
    if (!is_in(convergence.models, work.model) || largest <= known) continue;
    plan.warnings.push_back(fmt::format(
        "up to {:.9g} samples an iteration are asked for; the largest batch known to reach the target of {} "
        "has {:.9g}, and took {:.3g} epochs",
        largest, name, known, convergence.points.back().epochs));
  }
}

/// Warns where the first choice or the runner-up may not fit into memory.
void warn_of_memory(Plan& plan) {
  for (std::size_t i = 0; i < plan.options.size(); ++i) {
    const auto& option = plan.options[i];
    if ((i != 0 && i != plan.runner_up) || option.tight_memory.empty()) continue;
    auto& warnings = i == 0 ? plan.warnings : plan.further_warnings;
    warnings.push_back(fmt::format("{} with {} at {} GPU{}: memory is tight, {} at the peak; predict says what would "
                                   "fit",
                                   option.candidate, to_text(option.strategy), option.gpus, option.gpus == 1 ? "" : "s",
                                   option.tight_memory));
  }
}

/// Throws UserError with the first few reasons. The others are usually similar.
[[noreturn]] void refuse_all(const std::vector<RefusedOption>& refused) {
  constexpr std::size_t most_reasons = 3;
  std::string why = "no option of the request can be";
  for (std::size_t i = 0; i < std::min(most_reasons, refused.size()); ++i)
    why += fmt::format("; {} with {} at {} GPU{}: {}", refused[i].candidate, refused[i].strategy, refused[i].gpus,
                       refused[i].gpus == 1 ? "" : "s", refused[i].why);
  if (refused.size() > most_reasons) why += fmt::format("; and {} more", refused.size() - most_reasons);
  throw UserError("", "/candidates", why);
}

/// Says of the option whether its budget and all its limits can be judged.
void set_judged(const Plan& plan, PlannedOption& option) {
  option.budget_is_judged = plan.request.limits.budget_usd <= 0 || option.usd;
  option.chance_is_known = !plan.budget_is_judged || option.budget_is_judged;
}

} // namespace

PlanLimits judged_limits(const Plan& plan) {
  auto limits = plan.request.limits;
  if (!plan.budget_is_judged) limits.budget_usd = 0;
  return limits;
}

double shown_figure(const Estimate& figure) {
  return figure.median > 0 ? figure.median : figure.value;
}

std::string to_text(Refusal refusal) {
  switch (refusal) {
  case Refusal::impossible:
    break;
  case Refusal::memory:
    return "memory";
  case Refusal::nodes:
    return "nodes";
  case Refusal::power:
    return "power";
  }
  return "impossible";
}

Plan make_plan(const PlanRequest& request, const DataFolder& data, const RunTasks& run_tasks, int threads) {
  Plan plan;
  plan.request = request;
  auto options = make_plan_options(plan.request, data);
  add_prices_and_warnings(options, plan);
  auto evaluations = screen(plan.request, options, plan.refused, threads);
  warn_of_batches(evaluations, data, plan);
  choose_goal(evaluations, plan);
  plan.budget_is_judged = request.limits.budget_usd <= 0 || !all_lack(evaluations, PlanGoal::cost);
  auto judged = request;
  judged.limits = judged_limits(plan);
  simulate(judged, options, plan.ranked_by, most_simulated, run_tasks, evaluations, plan.refused);
  if (evaluations.empty()) refuse_all(plan.refused);
  sort_by_goal(plan, evaluations);
  plan.limits_met = meets(evaluations.front(), plan);
  compare_with_runner_up(evaluations, options, plan);
  const auto front = front_of(evaluations);
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    plan.options.push_back(evaluations[i].reported);
    plan.options.back().on_front = front[i];
    set_judged(plan, plan.options.back());
  }
  plan.reliefs = find_reliefs(evaluations, plan);
  set_reasons(plan);
  warn_of_memory(plan);
  return plan;
}

} // namespace ddlsim
