#pragma once
// The charts of the HTML page that `ddlsim plan --html` writes.

#include "plan/plan.hpp"

#include <string>

namespace ddlsim {

/// Returns a scatter chart with a mark for each option; "" if nothing can be drawn. It shows cost over time; energy
/// over time if no price is known; nodes over time if no power is known either. A line joins the Pareto front, and the
/// limits are drawn. A mark links to the option's row, whose id is "p" and its number.
std::string plan_cost_chart(const Plan& plan);

/// Returns a chart of the probability that the first of the simulated options keep deadline and budget; "" if the
/// request has no such limit.
std::string plan_chance_chart(const Plan& plan);

} // namespace ddlsim
