#pragma once
// The first estimate of every option of a plan, by the closed formulas alone.

#include "plan/evaluation.hpp"
#include "plan/plan_option.hpp"

#include <vector>

namespace ddlsim {

/// Evaluates every option at each of its scales with the likeliest parameters, by closed formulas. An option that is
/// impossible, or that breaks a limit for certain, goes to `refused` with the reason. The answer is the same for any
/// number of threads.
std::vector<Evaluation> screen(const PlanRequest& request, std::vector<PlanOption>& options,
                               std::vector<RefusedOption>& refused, int threads = 1);

} // namespace ddlsim
