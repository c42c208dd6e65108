#include "plan/choice_reason.hpp"

#include <functional>

namespace ddlsim {
namespace {

constexpr ChoiceReason all_choice_reasons[] = {
    ChoiceReason::fastest,      ChoiceReason::cheapest,  ChoiceReason::least_energy, ChoiceReason::fewest_gpus,
    ChoiceReason::most_certain, ChoiceReason::runner_up, ChoiceReason::front};

/// A figure of an option of which less is better; nothing if it is not known.
using LessIsBetter = std::function<std::optional<double>(const PlannedOption&)>;

std::optional<double> known(double figure) {
  if (figure <= 0) return {};
  return figure;
}

std::vector<PlannedOption*> contenders_of(Plan& plan) {
  std::vector<PlannedOption*> found;
  for (auto& option : plan.options) {
    const bool meets = option.simulated && option.chance >= plan.request.limits.chance;
    if (plan.limits_met ? meets : option.simulated) found.push_back(&option);
  }
  return found;
}

/// Gives the reason to the option with the least figure; of equal ones to the first in the ranking.
void give(ChoiceReason reason, const std::vector<PlannedOption*>& contenders, const LessIsBetter& figure_of) {
  PlannedOption* best = nullptr;
  std::optional<double> least;
  for (auto* option : contenders) {
    const auto figure = figure_of(*option);
    if (!figure || (least && *figure >= *least)) continue;
    least = figure;
    best = option;
  }
  if (best != nullptr) best->reasons.push_back(reason);
}

/// Gives the reason of having least of the goal.
void give_of_goal(PlanGoal goal, const std::vector<PlannedOption*>& contenders) {
  switch (goal) {
  case PlanGoal::time:
    return give(ChoiceReason::fastest, contenders,
                [](const auto& option) { return known(shown_figure(option.time_s)); });
  case PlanGoal::cost:
    return give(ChoiceReason::cheapest, contenders,
                [](const auto& option) { return option.usd ? known(shown_figure(*option.usd)) : std::nullopt; });
  case PlanGoal::energy:
    return give(ChoiceReason::least_energy, contenders,
                [](const auto& option) { return known(shown_figure(option.kwh)); });
  }
}

} // namespace

std::string to_text(ChoiceReason reason) {
  switch (reason) {
  case ChoiceReason::fastest:
    return "fastest";
  case ChoiceReason::cheapest:
    return "cheapest";
  case ChoiceReason::least_energy:
    return "least-energy";
  case ChoiceReason::fewest_gpus:
    return "fewest-gpus";
  case ChoiceReason::most_certain:
    return "most-certain";
  case ChoiceReason::runner_up:
    return "runner-up";
  case ChoiceReason::front:
    break;
  }
  return "front";
}

std::vector<std::string> choice_reasons() {
  std::vector<std::string> names;
  for (const auto reason : all_choice_reasons) names.push_back(to_text(reason));
  return names;
}

void set_reasons(Plan& plan) {
  const auto contenders = contenders_of(plan);
  const auto limits = judged_limits(plan);
  if (contenders.size() > 1) {
    give_of_goal(plan.ranked_by, contenders);
    for (const auto goal : {PlanGoal::time, PlanGoal::cost, PlanGoal::energy})
      if (goal != plan.ranked_by) give_of_goal(goal, contenders);
    give(ChoiceReason::fewest_gpus, contenders, [](const auto& option) { return known(option.gpus); });
    if (limits.deadline_s > 0 || limits.budget_usd > 0)
      give(ChoiceReason::most_certain, contenders, [](const auto& option) {
        return option.chance_is_known && option.chance > 0 ? std::optional(-option.chance) : std::nullopt;
      });
  }
  if (plan.runner_up) plan.options[*plan.runner_up].reasons.push_back(ChoiceReason::runner_up);
  for (auto& option : plan.options)
    if (option.on_front) option.reasons.push_back(ChoiceReason::front);
}

} // namespace ddlsim
