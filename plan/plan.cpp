#include "plan/plan.hpp"

#include "plan/considered.hpp"
#include "sim/base/error.hpp"
#include "sim/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace ddlsim {
namespace {

bool all_lack(const std::vector<Considered>& options, PlanGoal goal) {
  return std::all_of(options.begin(), options.end(),
                     [&](const Considered& option) { return std::isinf(figure_of(option.likeliest, goal)); });
}

/// The goal, or where no candidate has its figure, energy, or time.
void choose_goal(const std::vector<Considered>& options, Plan& plan) {
  plan.ranked_by = plan.request.goal;
  if (plan.ranked_by == PlanGoal::cost && all_lack(options, PlanGoal::cost)) {
    plan.ranked_by = PlanGoal::energy;
    plan.why_other_goal = "no candidate has a price: ranked by energy";
  }
  if (plan.ranked_by == PlanGoal::energy && all_lack(options, PlanGoal::energy)) {
    plan.ranked_by = PlanGoal::time;
    plan.why_other_goal += plan.why_other_goal.empty() ? "no candidate's power is known: ranked by time"
                                                       : ", and of none the power is known: ranked by time";
  }
}

/// With the chance asked for, and by a figure of what options are ranked by.
bool meets(const Considered& option, const Plan& plan) {
  return option.reported.simulated && option.reported.chance >= plan.request.limits.chance &&
         std::isfinite(figure_of(option.likeliest, plan.ranked_by));
}

/// Those that meet the limits, by the median of the goal over their samples; then those that may, by their chance; then
/// those that were only screened.
void sort_by_worth(const Plan& plan, std::vector<Considered>& options) {
  const auto rank = [&](const Considered& option) {
    const bool in = meets(option, plan);
    return std::tuple(!in, !option.reported.simulated, in ? 0 : -option.reported.chance,
                      expected_figure(option, plan.ranked_by), option.likeliest.time_s);
  };
  std::stable_sort(options.begin(), options.end(),
                   [&](const Considered& one, const Considered& other) { return rank(one) < rank(other); });
}

/// The best after the first that is another candidate; else another strategy, else another scale.
std::optional<std::size_t> find_runner_up(const std::vector<Considered>& options) {
  const auto& first = options.front();
  std::optional<std::size_t> of_strategy;
  std::optional<std::size_t> of_scale;
  for (std::size_t i = 1; i < options.size(); ++i) {
    if (!options[i].reported.simulated) continue;
    if (options[i].reported.candidate != first.reported.candidate) return i;
    auto& place = options[i].offer != first.offer ? of_strategy : of_scale;
    if (!place) place = i;
  }
  return of_strategy ? of_strategy : of_scale;
}

void compare_with_runner_up(const std::vector<Considered>& options, std::vector<Offer>& offers, Plan& plan) {
  plan.runner_up = find_runner_up(options);
  if (!plan.runner_up) return;
  const auto& other = options[*plan.runner_up];
  plan.runner_up_better = chance_of_better(other, options.front(), plan.ranked_by, plan.request.limits);
  plan.settle = find_settling(options.front(), other, plan.ranked_by, offers);
}

/// Of a network that the cluster does not have nothing was measured: that is no calibration out of date.
std::vector<std::string> warnings_of(const Offer& offer) {
  const auto& candidate = *offer.candidate;
  const auto& warnings = offer.files->warnings();
  if (candidate.network_Bps <= 0 || warnings.empty()) return warnings;
  return {fmt::format("{}: with NICs of {} what was measured of the network of {} does not hold; priors take its place",
                      candidate.name, print_quantity(candidate.network_Bps, Dimension::bandwidth), candidate.cluster)};
}

void tell_offers(const std::vector<Offer>& offers, Plan& plan) {
  const PlanCandidate* candidate = nullptr;
  for (const auto& offer : offers) {
    if (offer.candidate == candidate) continue;
    candidate = offer.candidate;
    plan.prices.push_back(fmt::format("{}: {}; {}", candidate->name, offer.costs.price_text, offer.costs.power_text));
    for (const auto& warning : warnings_of(offer)) plan.warnings.push_back(warning);
  }
}

/// A word about batches that nobody was seen to train with, where the request gives the epochs itself.
void warn_of_batches(const std::vector<Considered>& options, const DataFolder& data, Plan& plan) {
  const auto& work = plan.request.workload;
  if (!work.convergence.empty()) return;
  double largest = 0;
  for (const auto& option : options) largest = std::max(largest, option.training.global_batch);
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

/// With the first reasons: the others are mostly alike.
[[noreturn]] void refuse_all(const std::vector<RefusedOption>& refused) {
  constexpr std::size_t most_reasons = 3;
  std::string why = "no option of the request can be";
  for (std::size_t i = 0; i < std::min(most_reasons, refused.size()); ++i)
    why += fmt::format("; {} with {} at {} GPUs: {}", refused[i].candidate, refused[i].strategy, refused[i].gpus,
                       refused[i].why);
  if (refused.size() > most_reasons) why += fmt::format("; and {} more", refused.size() - most_reasons);
  throw UserError("", "/candidates", why);
}

} // namespace

Plan make_plan(const PlanRequest& request, const DataFolder& data, const RunTasks& run_tasks) {
  Plan plan;
  plan.request = request;
  auto offers = make_offers(plan.request, data);
  tell_offers(offers, plan);
  auto options = screen(plan.request, offers, plan.refused);
  warn_of_batches(options, data, plan);
  choose_goal(options, plan);
  simulate(plan.request, offers, plan.ranked_by, most_simulated, run_tasks, options, plan.refused);
  if (options.empty()) refuse_all(plan.refused);
  sort_by_worth(plan, options);
  plan.limits_met = meets(options.front(), plan);
  compare_with_runner_up(options, offers, plan);
  const auto front = front_of(options);
  for (std::size_t i = 0; i < options.size(); ++i) {
    plan.options.push_back(options[i].reported);
    plan.options.back().on_front = front[i];
  }
  return plan;
}

} // namespace ddlsim
