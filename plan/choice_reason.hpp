#pragma once
// Why an option of a plan is worth a row.

#include "plan/plan.hpp"

#include <string>

namespace ddlsim {

/// returns "fastest", "cheapest", "least-energy", "fewest-gpus", "most-certain", "runner-up" or "front"
std::string to_text(ChoiceReason reason);
std::vector<std::string> choice_reasons();

/// Sets the reasons of all options. Each of time, cost, energy, GPUs and chance has one winner: among the options that
/// meet the limits, or among all that were simulated if none does. What options are ranked by comes first. Nothing wins
/// where there is only one such option.
void set_reasons(Plan& plan);

} // namespace ddlsim
