#pragma once
// SimGrid runs by classes. Ranks, links and connections that play the same role are run once and counted as often as
// there are members. Call these functions only in a fork, because they start SimGrid.

#include "sim/collective/class_schedule.hpp"
#include "sim/collective/period.hpp"
#include "sim/network/machine.hpp"
#include "sim/parameter_server/exchange.hpp"
#include "sim/simgrid/fidelity.hpp"

#include <functional>
#include <vector>

namespace ddlsim {

/// Returns the times of several collectives, each of which has its links to itself and is given as the steps of one
/// period. All of them have the same edges; only their message sizes differ.
///
/// SimGrid runs steps until one more turn of the period takes every rank of the period the same time. From then on
/// every turn takes that time, because a step depends only on the times of the step before, and the remaining turns are
/// added without a run.
SimulatedTimes simulate_periods(const std::vector<std::vector<PeriodSteps>>& collectives);

/// Returns the schedule of a collective of that size with one member of each class and the messages of at most
/// `most_chunks` of its chunks.
using ClassScheduleOf = std::function<ClassSchedule(double size_bytes, int most_chunks)>;

/// Returns the times of several collectives, each of which has its links to itself and is given by its classes.
/// Classes, links and routes must not depend on the size. A collective of more than 128 chunks is run with 64 and with
/// 128 of them: by then the first chunk has passed every class, and each further chunk takes as long as one of the
/// second 64.
SimulatedTimes simulate_class_schedules(const std::vector<double>& sizes_bytes, const ClassScheduleOf& schedule_of);

/// Returns the times in seconds when each shard of one exchange is summed, and then those when the slowest worker has
/// each shard. SimGrid runs one connection of each class (sim/parameter_server/server_classes.hpp).
SimulatedTimes simulate_server_classes(const Machine& machine, const ServerMachine& servers,
                                       const ServerExchange& exchange);

/// Returns when each message of several paths has passed, as pass_paths() does.
SimulatedTimes simulate_paths(const std::vector<PathMessage>& messages, double rate_Bps);

} // namespace ddlsim
