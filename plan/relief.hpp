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

/// Returns at most one relief of each kind; none if the plan meets its limits. More time and more money are the least
/// with which an option keeps the limits with the chance asked for, rounded up to three digits; more of both is another
/// option for which both together are raised least. More nodes or power are those of the smallest refused option that keeps the limits with the
/// likeliest parameters. `evaluations` have their samples.
std::vector<Relief> find_reliefs(const std::vector<Evaluation>& evaluations, const Plan& plan);

} // namespace ddlsim
