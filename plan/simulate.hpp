#pragma once
// The second estimate of a plan, which predicts the most promising evaluations with all posterior samples.

#include "plan/evaluation.hpp"
#include "plan/plan_option.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

/// The result of simulating one evaluation, as the process that runs it returns it.
struct Simulated {
  std::string error; ///< why the option is impossible; "" if it is possible
  double iteration_s = 0;
  double efficiency = 0;
  std::string bottleneck;
  EvidenceLabel evidence = EvidenceLabel::assumed;
  bool extrapolated = false;
  std::vector<double> sample_times_s;
};

/// Returns the result as bytes, which processes pass to each other; every number keeps all its bits. Reading throws
/// UserError for other bytes.
std::string simulated_to_bytes(const Simulated& simulated);
Simulated simulated_from_bytes(const std::string& bytes);

/// Simulates at most `most` evaluations, each as a task of its own. Those that keep the limits with the likeliest
/// parameters come first: the best of each option, then the Pareto front, then the best by the goal. An evaluation that
/// proves impossible is removed from `evaluations` and added to `refused`.
void simulate(const PlanRequest& request, std::vector<PlanOption>& options, PlanGoal goal, std::size_t most,
              const RunTasks& run_tasks, std::vector<Evaluation>& evaluations, std::vector<RefusedOption>& refused);

} // namespace ddlsim
