#pragma once
// The second look at the most promising evaluations of a plan: each is predicted with all samples of the posterior.

#include "plan/evaluation.hpp"
#include "plan/plan_option.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

/// What the simulation of one evaluation gives, in the process that runs it.
struct Simulated {
  std::string error; ///< why the option is impossible; "" where it is possible
  double iteration_s = 0;
  double efficiency = 0;
  std::string bottleneck;
  EvidenceLabel evidence = EvidenceLabel::assumed;
  bool extrapolated = false;
  std::vector<double> sample_times_s;
};

/// The bytes that pass between processes keep every number to the bit. Reading throws UserError for other bytes.
std::string simulated_to_bytes(const Simulated& simulated);
Simulated simulated_from_bytes(const std::string& bytes);

/// Simulates at most `most` evaluations, each as a task of its own. Those whose likeliest outcome keeps the limits come
/// first: the best of each option, then the Pareto front, then the best by the goal. One that turns out to be
/// impossible leaves `evaluations` and goes to `refused`.
void simulate(const PlanRequest& request, std::vector<PlanOption>& options, PlanGoal goal, std::size_t most,
              const RunTasks& run_tasks, std::vector<Evaluation>& evaluations, std::vector<RefusedOption>& refused);

} // namespace ddlsim
