#pragma once
// One option of a plan at one number of GPUs, from its first estimate to what the report says of it.

#include "plan/plan.hpp"
#include "plan/whole_training.hpp"

#include <cstddef>
#include <vector>

namespace ddlsim {

struct Evaluation {
  std::size_t option = 0; ///< index among the options of the plan
  WholeTraining training;
  double screened_iteration_s = 0; ///< by closed formulas, with the likeliest parameters
  Outcome likeliest;
  std::vector<Outcome> samples; ///< one for each sample of the posterior; none where it was not simulated
  PlannedOption reported;
};

/// Median of the goal's figure over the samples; without samples, the likeliest. Infinite where it is not known.
double expected_figure(const Evaluation& evaluation, PlanGoal goal);

/// For each evaluation, whether it is on the Pareto front: no other is as good or better in time, cost and energy, and
/// better in one of them.
std::vector<bool> front_of(const std::vector<Evaluation>& evaluations);

} // namespace ddlsim
