#pragma once
// Jobs beside each other on SimGrid, with one message of each job that stands for all of its messages of a round.

#include "sim/neighbours/fluid.hpp"
#include "sim/neighbours/jobs.hpp"

#include <vector>

namespace ddlsim {

/// Of simulate_rounds to simulate_every_message (neighbours_full.hpp), mean of 16 iterations: -8.3 to +11.0 % over 600
/// draws of tests/neighbours/random_jobs.hpp with two jobs, half of them of 4 to 32 ranks and half of 4 to 64; 9 of 10
/// draws within 2.8 %, rms 1.5 %. Where it is largest, the mean iteration is
///   a neighbour with 4 or more messages on one link    -6.8 to +11.0 %
///   with fewer                                         -8.3 to +4.6 %
///   a ring of 4 to 6 ranks                             -8.3 to +3.7 %
///   of more than 16                                    -4.0 to +11.0 %
/// The likely reason: a job's messages of a round come at one moment here, and with every message they come apart.
constexpr GapRange rounds_gap{0.09, 0.12};

/// Times job 0 beside its neighbours: each round of a transfer waits for its latency, and then is one message,
/// which counts `flows` times on every shared link. Only in a fork, because it starts SimGrid. Throws what
/// require_usable throws.
SharedTimes simulate_rounds(const std::vector<SharedLink>& links, const std::vector<Job>& jobs, int iterations);

/// The same in a child of the fork server. Throws std::runtime_error with the message when the run fails.
SharedTimes simulate_rounds_in_child(const std::vector<SharedLink>& links, const std::vector<Job>& jobs,
                                     int iterations);

} // namespace ddlsim
