#pragma once
// From the time of one iteration to a whole training: its hours, its dollars and its kilowatt-hours.

#include "plan/goodput.hpp"
#include "plan/node_costs.hpp"
#include "sim/formats/plan_request.hpp"

#include <optional>

namespace ddlsim {

/// A training on a number of GPUs: everything but how long an iteration takes.
struct WholeTraining {
  double epochs = 0;
  double global_batch = 0; ///< samples of an iteration
  double iterations = 0;
  double evaluation_s = 0; ///< all evaluations together: forward alone, on all GPUs
  double start_up_s = 0;
  int nodes = 0; ///< that are paid for: workers, dedicated servers and spares
  FailingJob failing;
  NodeCosts costs;
  EnergyRules energy;
};

/// What a training takes and costs.
struct Outcome {
  double time_s = 0;         ///< from start to end, failures and checkpoints included
  std::optional<double> usd; ///< nothing where no price is known
  double kwh = 0;            ///< 0 where no power is known
};

/// `length`: how many times as many iterations and evaluations as expected.
Outcome outcome_of(const WholeTraining& training, double iteration_s, double length = 1);

/// Training alone: what the time would be if the job began at once and nothing failed.
double work_s(const WholeTraining& training, double iteration_s);

/// The goal's figure: dollars, seconds or kilowatt-hours. Infinite where it is not known. Less is better.
double figure_of(const Outcome& outcome, PlanGoal goal);

/// Whether a training with this outcome keeps deadline and budget.
bool keeps_limits(const Outcome& outcome, const PlanLimits& limits);

} // namespace ddlsim
