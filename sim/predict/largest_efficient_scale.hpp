#pragma once
// The largest scale at which a strategy is still efficient.

#include "sim/predict/scaling_curve.hpp"

#include <map>

namespace ddlsim {

/// Finds the last scale whose efficiency, by predict_point(), is at or above the bound while one more node is below it.
/// The formulas guide the search: it doubles from one node up to the cluster's growth, then bisects to a whole node, or
/// to a GPU inside one node. Where predict_point() disagrees with the formulas, the search continues with its numbers.
/// `full` is treated as `by_default`. `known` holds the efficiencies, by number of GPUs, that predict_point() gave at
/// that fidelity already. The interval is that of the largest efficient scales of the samples.
///
/// Efficiency is the throughput of a GPU over that of one GPU alone, or over that of a GPU among `against_gpus`, whose
/// efficiency `known` must hold.
LargestEfficientScale find_largest_efficient_scale(const Curve& curve, double efficiency_bound, Fidelity fidelity,
                                                   const std::map<int, double>& known = {}, int against_gpus = 1);

} // namespace ddlsim
