#pragma once
// The page of `ddlsim plan --html`.

#include "plan/plan.hpp"

#include <string>

namespace ddlsim {

/// One HTML file that loads nothing else and is well-formed XML. The same plan gives the same bytes.
std::string plan_html(const Plan& plan);

} // namespace ddlsim
