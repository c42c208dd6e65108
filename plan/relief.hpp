#pragma once
// What would let a plan keep its limits where nothing keeps them.

#include "plan/evaluation.hpp"
#include "plan/plan.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// returns "time", "money", "time-and-money", "nodes", "power", "gpus" or "memory"
std::string to_text(Remedy remedy);
std::vector<std::string> remedies();

/// Returns at most one relief of each kind, and none if the plan keeps its limits. For time and for money it finds the
/// smallest limit with which an option reaches the chance asked for, rounded up to three digits. For both together it
/// finds the option with the smallest product of the two increases. For nodes and for power it takes the smallest
/// refused option that keeps the other limits with the likeliest parameters. `evaluations` have their samples.
std::vector<Relief> find_reliefs(const std::vector<Evaluation>& evaluations, const Plan& plan);

} // namespace ddlsim
