#pragma once
// The charts of the page of `ddlsim plan --html`.

#include "plan/plan.hpp"

#include <string>

namespace ddlsim {

/// A scatter chart with a mark for each option: cost over time; energy over time if no price is known; nodes over time
/// if no power is known either. A line joins the Pareto front, and the limits are drawn. A mark links to the option's
/// row, whose id is "p" and its number. "" if nothing can be drawn.
std::string plan_cost_chart(const Plan& plan);

/// A chart of the probability that the first of the simulated options keep deadline and budget. "" if the request has
/// no such limit.
std::string plan_chance_chart(const Plan& plan);

} // namespace ddlsim
