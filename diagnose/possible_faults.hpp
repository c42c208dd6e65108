#pragma once
// Selects the faults, and the advantages, that can explain the times of a job on this cluster.

#include "diagnose/fault.hpp"

#include <set>
#include <vector>

namespace ddlsim {

/// The observed numbers of GPUs.
using Scales = std::set<int>;

/// Returns all faults that can act on such a job and can be distinguished. Faults of parameter servers need servers,
/// those of the network two nodes, those of storage a scenario that reads from it. With `only_collectives` it returns
/// only faults that a benchmark of collectives shows. `others` must outlive them.
std::vector<FaultKind> possible_faults(const Curve& curve, const Scales& observed, bool only_collectives,
                                       const OtherCurves& others);

/// Returns the faults that possible_faults() leaves out only because of what was not timed, with what that is. Faults
/// that no log of such a job could show are not among them.
std::vector<UntestedFault> untested_faults(const Curve& curve, const Scales& observed, bool only_collectives,
                                           const OtherCurves& others);

/// Returns the rows of what would make a cluster faster than its file says.
std::vector<FaultKind> possible_gains(const Curve& curve, const Scales& observed, bool only_collectives,
                                      const OtherCurves& others);

} // namespace ddlsim
