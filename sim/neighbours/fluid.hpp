#pragma once
// Jobs beside each other by our own solver of max-min sharing, for screening.

#include "sim/neighbours/jobs.hpp"

#include <vector>

namespace ddlsim {

/// How far the mean iteration may lie from that of another way to time it: from -faster to +slower of it.
struct GapRange {
  double faster = 0;
  double slower = 0;
};

/// Of share_by_formula to simulate_rounds (sim/simgrid/neighbours_run.hpp), mean of 16 iterations: -8.5 to +2.7 %
/// over 400 draws of tests/neighbours/random_jobs.hpp with two jobs of 4 to 1,024 ranks; 9 of 10 draws within 0.7
/// %, rms 0.7 %. Far out are jobs that fall into step with each other one way and not the other.
constexpr GapRange fluid_gap{0.09, 0.03};

/// Times job 0 beside its neighbours. A transfer has a few messages in place of its rounds; whenever a message
/// begins or ends, every job under way gets its max-min share. Throws what require_usable throws.
///
/// No job is faster than alone. A second neighbour may make job 0 faster than the first one alone does, because it
/// delays that neighbour too; in 1,000 draws of three jobs it never did.
SharedTimes share_by_formula(const std::vector<SharedLink>& links, const std::vector<Job>& jobs, int iterations);

} // namespace ddlsim
