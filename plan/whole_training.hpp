#pragma once
// Turns the time of one iteration into the hours, dollars and kilowatt-hours of a whole training.

#include "plan/goodput.hpp"
#include "plan/node_costs.hpp"
#include "sim/formats/plan_request.hpp"

#include <optional>

namespace ddlsim {

/// A training on a number of GPUs, without the time of an iteration.
struct WholeTraining {
  double tokens_an_iteration = 0; ///< 0 if a sample is not a sequence
  double peak_s = 0;              ///< time of an iteration's FLOP at the peak of the GPUs; 0: the peak is not known
  double epochs = 0;
  double global_batch = 0; ///< number of samples of an iteration
  double iterations = 0;
  double evaluation_s = 0; ///< time of all evaluations together: forward passes alone, on all GPUs
  double start_up_s = 0;
  int nodes = 0; ///< number of nodes that are paid for: workers, dedicated servers and spares
  FailingJob failing;
  NodeCosts costs;
  EnergyRules energy;
};

/// The time, cost and energy of a training.
struct Outcome {
  double time_s = 0;         ///< time from start to end, failures and checkpoints included
  std::optional<double> usd; ///< cost in dollars; empty if no price is known
  double kwh = 0;            ///< energy; 0 if no power is known
};

/// The outcome of the training. `length` multiplies the expected number of iterations and evaluations.
Outcome outcome_of(const WholeTraining& training, double iteration_s, double length = 1);

/// Time of the training alone, in seconds: the job starts at once and nothing fails.
double work_s(const WholeTraining& training, double iteration_s);

/// The figure of the goal: dollars, seconds or kilowatt-hours. Less is better. Infinite if it is not known.
double figure_of(const Outcome& outcome, PlanGoal goal);

/// Whether a training with this outcome keeps deadline and budget.
bool keeps_limits(const Outcome& outcome, const PlanLimits& limits);

/// The largest ratio of a figure to its limit, by deadline and budget; 0 without limits. An unknown cost is infinite.
double overshoot(double time_s, double usd, const PlanLimits& limits);

} // namespace ddlsim
