#include "plan/whole_training.hpp"

#include <algorithm>
#include <limits>

namespace ddlsim {

Outcome outcome_of(const WholeTraining& training, double iteration_s, double length) {
  Outcome outcome;
  outcome.time_s = training.start_up_s + expected_time_s(training.failing, length * work_s(training, iteration_s));
  outcome.usd = cost_usd(training.costs, training.nodes, outcome.time_s, training.energy);
  outcome.kwh = energy_kwh(training.costs, training.nodes, outcome.time_s, training.energy);
  return outcome;
}

double work_s(const WholeTraining& training, double iteration_s) {
  return training.iterations * iteration_s + training.evaluation_s;
}

double figure_of(const Outcome& outcome, PlanGoal goal) {
  constexpr double unknown = std::numeric_limits<double>::infinity();
  switch (goal) {
  case PlanGoal::cost:
    return outcome.usd.value_or(unknown);
  case PlanGoal::time:
    return outcome.time_s;
  case PlanGoal::energy:
    return outcome.kwh > 0 ? outcome.kwh : unknown;
  }
  return unknown;
}

bool keeps_limits(const Outcome& outcome, const PlanLimits& limits) {
  const bool in_time = limits.deadline_s == 0 || outcome.time_s <= limits.deadline_s;
  const bool affordable = limits.budget_usd == 0 || (outcome.usd && *outcome.usd <= limits.budget_usd);
  return in_time && affordable;
}

double overshoot(double time_s, double usd, const PlanLimits& limits) {
  const double in_time = limits.deadline_s > 0 ? time_s / limits.deadline_s : 0;
  const double in_money = limits.budget_usd > 0 ? usd / limits.budget_usd : 0;
  return std::max(in_time, in_money);
}

} // namespace ddlsim
