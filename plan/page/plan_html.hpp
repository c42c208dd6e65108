#pragma once
// The page of `ddlsim plan --html`.

#include "plan/plan.hpp"

#include <string>

namespace ddlsim {

/// One file that loads nothing, well-formed as XML; same plan, same bytes.
std::string plan_html(const Plan& plan);

} // namespace ddlsim
