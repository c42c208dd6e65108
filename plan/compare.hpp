#pragma once
// Two evaluations of a plan side by side, sample by sample, so that uncertainty which both share cancels.

#include "plan/evaluation.hpp"
#include "plan/plan_option.hpp"

#include <vector>

namespace ddlsim {

/// Chance that `other` is the better choice: it keeps the limits and has less of the goal, or it keeps the limits where
/// `one` does not.
double chance_of_better(const Evaluation& other, const Evaluation& one, PlanGoal goal, const PlanLimits& limits);

/// Which measurement narrows the ratio of the two figures most, and on whose machine.
DiscriminatingMeasurement find_discriminating(const Evaluation& one, const Evaluation& other, PlanGoal goal,
                                              std::vector<PlanOption>& options);

} // namespace ddlsim
