#pragma once
// The largest scale at which a strategy is still efficient.

#include "sim/predict/scaling_curve.hpp"

#include <map>

namespace ddlsim {

/// The last scale at or above the efficiency bound, while one node more is below it, both as predict_point() says.
/// The formulas find it: doubling from one node up to growth, then bisection to a whole node between the last scale
/// that holds and the next that does not; inside one node, GPU by GPU. Where predict_point() contradicts, the search
/// goes on from there by its numbers; `full` is treated as `by_default`. `known`: efficiencies by GPUs that
/// predict_point() gave by that fidelity. The interval is that of the samples' own largest efficient scales.
LargestEfficientScale find_largest_efficient_scale(const Curve& curve, double efficiency_bound, Fidelity fidelity,
                                                   const std::map<int, double>& known = {});

} // namespace ddlsim
