#pragma once
// Any collective given as a schedule, with every program a SimGrid actor and every message a flow.

#include "sim/collective/schedule.hpp"
#include "sim/network/machine.hpp"

#include <functional>
#include <vector>

namespace ddlsim {

/// The messages of a collective of that size; which ranks talk must not depend on the size.
using ScheduleOfSize = std::function<Schedule(double size_bytes)>;

/// Times of one collective after another, seconds. Only inside run_in_child: it starts SimGrid.
///
/// A message inside a node takes the port out of its sender and the port into its receiver, each of the intra rate; one
/// between nodes takes the NICs that all ranks of the nodes share, and the uplinks where it leaves a leaf. Flows that
/// meet share by max-min fairness. A latency is a delay at delivery: it holds no link.
std::vector<double> simulate_schedules(const Machine& machine, const std::vector<double>& sizes_bytes,
                                       const ScheduleOfSize& schedule_of);

} // namespace ddlsim
