#pragma once
// How unevenly tokens choose experts, where a question does not say it.

#include "sim/formats/parameters.hpp"
#include "sim/formats/strategy.hpp"

#include <cstdint>

namespace ddlsim {

/// Draws Parameters::expert_skew, log-normal, for each sample from a random stream of its own. Nothing is drawn for a
/// strategy that states its imbalance or has no experts on several ranks.
void draw_expert_skew(Draws& samples, const Strategy& strategy, std::uint64_t seed);

} // namespace ddlsim
