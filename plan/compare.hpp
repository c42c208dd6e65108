#pragma once
// Compares two evaluations of a plan sample by sample, so that uncertainty that both share cancels.

#include "plan/evaluation.hpp"
#include "plan/plan_option.hpp"

#include <vector>

namespace ddlsim {

/// The probability that `other` is better than `one`: it keeps the limits and has a lower figure of the goal, or it
/// keeps the limits and `one` does not, or both miss them and it misses them less.
double chance_of_better(const Evaluation& other, const Evaluation& one, PlanGoal goal, const PlanLimits& limits);

/// Returns the measurement that narrows the ratio of the two figures most, and the machine to run it on.
DiscriminatingMeasurement find_discriminating(const Evaluation& one, const Evaluation& other, PlanGoal goal,
                                              std::vector<PlanOption>& options);

} // namespace ddlsim
