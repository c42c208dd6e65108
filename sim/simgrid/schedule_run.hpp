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

/// The messages of a collective of that size; which ranks talk must not depend on the size.
using ScheduleOfSize = std::function<Schedule(double size_bytes)>;

/// Collectives one after another, seconds each takes until its last program ends. Host i runs the programs of rank i.
/// Every program is an actor, which goes on with the next size when all are done: making an actor takes as long as dozens
/// of messages. Throws std::logic_error when messages do not pair up.
std::vector<double> run_schedules(const std::vector<simgrid::s4u::Host*>& hosts, const std::vector<double>& sizes_bytes,
                                  const ScheduleOfSize& schedule_of, const LatencyOf& latency_s);

} // namespace ddlsim
