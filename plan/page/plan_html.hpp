#pragma once
// The HTML page that `ddlsim plan --html` writes.

#include "plan/plan.hpp"

#include <string>

namespace ddlsim {

/// Returns one HTML file, which loads nothing else and is well-formed XML. The same plan gives the same bytes.
std::string plan_html(const Plan& plan);

} // namespace ddlsim
