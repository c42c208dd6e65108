#pragma once
// The options of a plan on their way to its answer: screened, simulated, compared.

#include "plan/plan.hpp"
#include "plan/whole_training.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// What the simulation of one option gives, in the process that runs it.
struct Simulated {
  std::string error; ///< not empty: the option cannot be
  double iteration_s = 0;
  double mixture_ratio = 1;
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
