#pragma once
// A quick estimate of a pipeline's iteration, by which a search decides which layouts to run.

#include "sim/iteration/step.hpp"
#include "sim/iteration/step_cache.hpp"

namespace ddlsim {

/// Estimates the iteration of the setup's layout by the formulas, seconds, from a run of a single micro-batch. The
/// busiest stage repeats its part of that run for each further micro-batch. Interleaved pieces divide the time that
/// stages wait for the first one. So T = m b + (T1 - b) / v, for m micro-batches, v pieces a stage, T1 of the run, and b
/// of a micro-batch on the busiest stage. `of_stages` has the pieces of the same layout with one piece a stage. The estimate ignores
/// what transfers hide beside compute of other micro-batches.
double estimated_iteration_s(const StepSetup& setup, const Parameters& sample, const StepCache& of_stages);

} // namespace ddlsim
