#pragma once
// Which faults, and which advantages, can explain the times of a job on this cluster.

#include "diagnose/fault.hpp"

#include <set>
#include <vector>

namespace ddlsim {

/// Numbers of GPUs that were observed.
using Scales = std::set<int>;

/// All faults that can act on such a job and can be distinguished there. Those of parameter servers need servers, those
/// of the network two nodes, those of storage a scenario that reads from it. `only_collectives`: those that a benchmark
/// of collectives shows. `others` must outlive them.
std::vector<FaultKind> possible_faults(const Curve& curve, const Scales& observed, bool only_collectives,
                                       const OtherCurves& others);

/// What would make a cluster faster than its file says.
std::vector<FaultKind> possible_gains(const Curve& curve, const Scales& observed, bool only_collectives,
                                      const OtherCurves& others);

} // namespace ddlsim
