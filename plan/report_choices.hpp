#pragma once
// The table of choices on the first screen of a plan.

#include "plan/plan.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

/// The first choice, those with a reason, and others up to `most`, in the order of the ranking.
std::vector<const PlannedOption*> worth_a_row(const std::vector<const PlannedOption*>& choices, std::size_t most);

/// The table with names of candidates as long as lines of a screen allow, and with energy if it has room.
std::string choice_table(const Plan& plan, const std::vector<const PlannedOption*>& choices);

/// What the marks of the rows mean, and how many of the choices are not among them.
std::string below_table(const Plan& plan, std::size_t choices, const std::vector<const PlannedOption*>& rows);

} // namespace ddlsim
