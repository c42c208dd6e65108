#pragma once
// One option of a plan at one number of GPUs, from its first estimate to its row in the report.

#include "plan/plan.hpp"
#include "plan/whole_training.hpp"

#include <cstddef>
#include <vector>

namespace ddlsim {

struct Evaluation {
  std::size_t option = 0; ///< position among the options of the plan
  WholeTraining training;
  double screened_iteration_s = 0; ///< time by the closed formulas with the likeliest parameters
  Outcome likeliest;
  std::vector<Outcome> samples; ///< an outcome for each posterior sample; empty if the option was not simulated
  PlannedOption reported;
};

/// Median of the goal's figure over the samples, or the figure of the likeliest outcome if there are none. Infinite if
/// it is not known.
double expected_figure(const Evaluation& evaluation, PlanGoal goal);

/// For each evaluation, whether it is on the Pareto front: no other one is at least as good in time, cost and energy
/// and better in one of them, by expected_figure(). A figure that one of two does not have is left out between them.
std::vector<bool> front_of(const std::vector<Evaluation>& evaluations);

/// Sets the rate of tokens and the utilisation of the peak in an iteration that takes so long.
void set_rates(const WholeTraining& training, double iteration_s, PlannedOption& option);

} // namespace ddlsim
