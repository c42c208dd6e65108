#pragma once
// Jobs beside each other on SimGrid, with one message of each job that stands for all of its messages of a round.

#include "sim/neighbours/fluid.hpp"
#include "sim/neighbours/jobs.hpp"

#include <vector>

namespace ddlsim {

/// Of simulate_rounds to simulate_every_message (neighbours_full.hpp), mean of 16 iterations: -8.3 to +11.0 % over 600
/// draws of tests/neighbours/random_jobs.hpp with two jobs, half of them of 4 to 32 ranks and half of 4 to 64; 9 of 10
/// draws within 2.8 %, rms 1.5 %. Too slow are many messages on one link: here they come at one moment, there one after
/// another. Too fast are small rings that cross several links: there the links are full at different times.
constexpr GapRange rounds_gap{0.09, 0.12};

/// Times job 0 beside its neighbours: each round of a transfer waits for its latency, and then is one message,
/// which counts `flows` times on every shared link. Only in a fork, because it starts SimGrid. Throws what
/// require_usable throws.
SharedTimes simulate_rounds(const std::vector<SharedLink>& links, const std::vector<Job>& jobs, int iterations);

/// The same in a child of the fork server. Throws std::runtime_error with the message when the run fails.
SharedTimes simulate_rounds_in_child(const std::vector<SharedLink>& links, const std::vector<Job>& jobs,
                                     int iterations);

} // namespace ddlsim
