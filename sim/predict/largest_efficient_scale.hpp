#pragma once
// Two questions to a scaling curve: up to which scale training is efficient, and what to measure next.

#include "sim/predict/scaling_curve.hpp"

namespace ddlsim {

/// The last scale at or above the efficiency bound: doubling from one node up to growth, then bisection to a whole node
/// between the last scale that holds and the next that does not; inside one node, GPU by GPU. The interval is that of
/// the samples' own largest efficient scales.
LargestEfficientScale find_largest_efficient_scale(const Curve& curve, double efficiency_bound);

/// The parameter whose doubt widens the interval at `gpus` most, what would measure it, and the half-width left once it
/// is known: half-width x sqrt(1 - r^2), r the correlation of the parameter's z-score with ln(iteration time) over the
/// samples (linear regression; r^2 is the share of variance that one parameter explains).
/// `times_s` are the samples' iteration times there (sample_times).
MeasureNext find_measure_next(const Curve& curve, int gpus, const std::vector<double>& times_s);

} // namespace ddlsim
