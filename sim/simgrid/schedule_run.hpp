#pragma once
// Runs a schedule on hosts that are connected already.

#include "sim/collective/schedule.hpp"

#include <functional>
#include <vector>

namespace simgrid::s4u {
class Host;
} // namespace simgrid::s4u

namespace ddlsim {

/// What delays a message from one rank to another at delivery, seconds.
using LatencyOf = std::function<double(int from, int to)>;

/// From now until the last program ends, seconds. Host i runs the programs of rank i; every program is an actor. Throws
/// std::logic_error when messages do not pair up.
double run_schedule(const std::vector<simgrid::s4u::Host*>& hosts, const Schedule& schedule,
                    const LatencyOf& latency_s);

} // namespace ddlsim
