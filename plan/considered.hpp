#pragma once
// The options of a plan on their way to its answer: screened, simulated, compared; and from the time of one iteration to a whole
// training: its hours, its dollars and its kilowatt-hours.

#include "plan/goodput.hpp"
#include "plan/node_costs.hpp"
#include "plan/offer.hpp"
#include "plan/plan.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// A training on so many GPUs, but for how long an iteration takes.
struct WholeTraining {
  double epochs = 0;
  double global_batch = 0; ///< samples of an iteration
  double iterations = 0;
  double evaluation_s = 0; ///< all evaluations together: forward alone, on all GPUs
  double start_up_s = 0;
  int nodes = 0; ///< that are paid for: workers', servers' and spares
  FailingJob failing;
  NodeCosts costs;
  EnergyRules energy;
};

/// What it comes to.
struct Outcome {
  double time_s = 0;         ///< from start to end, failures and checkpoints included
  std::optional<double> usd; ///< nothing where no price is known
  double kwh = 0;            ///< 0 where no power is known
};

/// `length`: how many times as many iterations and evaluations as expected.
Outcome outcome_of(const WholeTraining& training, double iteration_s, double length = 1);

/// Training alone: what the time would be if the job began at once and nothing failed.
double work_s(const WholeTraining& training, double iteration_s);

/// What the simulation of one option gives, in the process that runs it.
struct Simulated {
  std::string error; ///< not empty: the option cannot be
  double iteration_s = 0;
  double efficiency = 0;
  std::string bottleneck;
  EvidenceLabel evidence = EvidenceLabel::assumed;
  bool extrapolated = false;
  std::vector<double> sample_times_s;
};

/// Between processes: every number to the bit. Throws UserError for bytes that are none of a Simulated.
std::string simulated_to_bytes(const Simulated& simulated);
Simulated simulated_from_bytes(const std::string& bytes);

struct Considered {
  std::size_t offer = 0; ///< of the offers
  WholeTraining training;
  double screened_iteration_s = 0; ///< of the likeliest sample, by formulas
  Outcome likeliest;
  std::vector<Outcome> samples; ///< none where it was not simulated
  PlannedOption reported;
};

/// Times every option by its likeliest sample and by formulas. Those that cannot be, or break a limit for certain, go
/// to `refused`.
std::vector<Considered> screen(const PlanRequest& request, std::vector<Offer>& offers,
                               std::vector<RefusedOption>& refused);

/// Figure of the goal; infinite where it is not known. Less is better.
double figure_of(const Outcome& outcome, PlanGoal goal);

/// Median of the goal's figure over the samples; of an option without samples the likeliest. Infinite where not known.
double expected_figure(const Considered& option, PlanGoal goal);

/// Whether no option is as good or better in time, cost and energy, and better in one.
std::vector<bool> front_of(const std::vector<Considered>& all);

/// Simulates those whose likeliest keeps the limits first: the best of each offer, then the front, then the best by the
/// goal; `most` of all together, each a task. One that turns out to be
/// impossible goes to `refused`, and out of `all`.
void simulate(const PlanRequest& request, std::vector<Offer>& offers, PlanGoal goal, std::size_t most,
              const RunTasks& run_tasks, std::vector<Considered>& all, std::vector<RefusedOption>& refused);

/// Whether a run that came to this keeps deadline and budget.
bool keeps_limits(const Outcome& outcome, const PlanLimits& limits);

/// Chance that `other` is the better choice: it keeps the limits and has less of the goal, or keeps them where `one`
/// does not. Sample by sample, so that uncertainty which both share cancels.
double chance_of_better(const Considered& other, const Considered& one, PlanGoal goal, const PlanLimits& limits);

/// Which measurement narrows the ratio of their figures most, on whose machine.
SettlingMeasurement find_settling(const Considered& one, const Considered& other, PlanGoal goal,
                                  std::vector<Offer>& offers);

} // namespace ddlsim
