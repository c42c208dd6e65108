#pragma once
// Where a fit of step times starts. Several explanations of the same times cost about as little; a search finds the
// one that it starts nearest to.

#include "calibrate/fit/step_problem.hpp"
#include "sim/base/robust_fit.hpp"

#include <vector>

namespace ddlsim {

/// What the searches find, the likeliest first. They start
///   1. from the priors' medians;
///   2. from a slow network with slow servers: much interference would explain the same times;
///   3. from slow connections to servers: a slow server would explain the same times;
///   4. from three places beside the best of these: a fusion cycle makes the times a staircase in some parameters, and a
///      search may end on a stair;
///   5. from the best of these, once for each rate of a stack's connections that nothing there depends on, with somewhat
///      slower connections. They may be the limit of a few servers and not of many, as no start before says.
std::vector<RobustFit> search_fits(const RobustProblem& robust, const FreeParameters& free_parameters,
                                   const std::vector<SeriesData>& series);

} // namespace ddlsim
