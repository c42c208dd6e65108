#pragma once
// Jobs and what they share as numbers: what the fork server is sent, and what it sends back.

#include "sim/neighbours/jobs.hpp"
#include "sim/simgrid/requests.hpp"

#include <vector>

namespace ddlsim {

void add_jobs(RequestWriter& writer, const std::vector<Job>& jobs);
std::vector<Job> read_jobs(RequestReader& reader); ///< equals what was added

void add_shared_links(RequestWriter& writer, const std::vector<SharedLink>& links);
std::vector<SharedLink> read_shared_links(RequestReader& reader);

/// The messages come last.
Numbers numbers_of(SharedTimes times);
SharedTimes shared_times_of(Numbers numbers);

} // namespace ddlsim
