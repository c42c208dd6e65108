#pragma once
// The page of `ddlsim plan --html`.

#include "plan/plan.hpp"

#include <string>

namespace ddlsim {

/// One file that loads nothing, well-formed as XML; same plan, same bytes.
std::string plan_html(const Plan& plan);

/// Cost over time, or energy where no price is known, or nodes where no power is either; the front joined, limits
/// drawn. Options are those rows "p0" on. "" where nothing can be drawn.
std::string plan_cost_chart(const Plan& plan);

/// The chance to keep deadline and budget, of the first of the simulated options. "" where there is no such limit.
std::string plan_chance_chart(const Plan& plan);

} // namespace ddlsim
