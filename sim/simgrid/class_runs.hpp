#pragma once
// What SimGrid runs by classes: ranks, links and connections that play the same role are one, with their multiplicity.
// Only in a fork, because these functions start SimGrid.

#include "sim/collective/class_schedule.hpp"
#include "sim/collective/period.hpp"
#include "sim/network/machine.hpp"
#include "sim/parameter_server/exchange.hpp"
#include "sim/simgrid/fidelity.hpp"

#include <functional>
#include <vector>

namespace ddlsim {

/// Times of several collectives that are alone on their links, each given as the steps of one period. All of them have
/// the same edges, and differ in the size of their messages.
///
/// Steps are run until every rank of the period is the same time further after a turn of the period as each of the
/// others; from then on every turn takes that time, because a step depends on nothing but the times of the step before,
/// and the rest is counted.
SimulatedTimes simulate_periods(const std::vector<std::vector<PeriodSteps>>& collectives);

/// One of each class of a collective of that size, with the messages of at most so many of its chunks.
using ClassScheduleOf = std::function<ClassSchedule(double size_bytes, int most_chunks)>;

/// Times of several collectives that are alone on their links, each given by its classes; classes, links and routes
/// must not depend on the size. Of more than 128 chunks 64 are run and 128: by then the first chunk has passed every
/// class, and each chunk more adds as much as one of the second 64.
SimulatedTimes simulate_class_schedules(const std::vector<double>& sizes_bytes, const ClassScheduleOf& schedule_of);

/// When each shard of one exchange is summed, then when the slowest worker has each, seconds, with one connection of
/// each class (sim/parameter_server/server_classes.hpp).
SimulatedTimes simulate_server_classes(const Machine& machine, const ServerMachine& servers,
                                       const ServerExchange& exchange);

/// When each message of several paths has passed; see pass_paths().
SimulatedTimes simulate_paths(const std::vector<PathMessage>& messages, double rate_Bps);

} // namespace ddlsim
