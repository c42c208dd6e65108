#pragma once

#include "sim/answer/curve.hpp"

namespace ddlsim {

/// The last scale at or above the efficiency bound: doubling from one node up to growth, then bisection to a whole node
/// between the last scale that holds and the next that does not; inside one node, GPU by GPU. The interval is that of
/// the worlds' own knees.
Knee find_knee(const Curve& curve, double efficiency_bound);

} // namespace ddlsim
