#pragma once
// The charts of the page of `ddlsim plan --html`.

#include "plan/plan.hpp"

#include <string>

namespace ddlsim {

/// A mark for each option: cost over time; energy over time where no price is known; nodes over time where no power is
/// known either. A line joins the Pareto front, and the limits are drawn. A mark links to the option's row, whose id is
/// "p" and its number. "" where nothing can be drawn.
std::string plan_cost_chart(const Plan& plan);

/// The chance to keep deadline and budget, of the first of the simulated options. "" where there is no such limit.
std::string plan_chance_chart(const Plan& plan);

} // namespace ddlsim
