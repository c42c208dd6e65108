#pragma once
// Correction beyond the last measured scale: a job is assumed to slow down less than the simulator says.

#include "sim/predict/scaling_curve.hpp"

namespace ddlsim {

/// The amount that a mixture of the simulator and a straight line adds to the simulator's ln T at a scale:
///   w (ln max(T(last), F(gpus)) - ln T(gpus)),  w = line_share x exp(-ln(gpus / last) / line_fade)
/// T is the time of the likeliest sample with its residual, by the formulas. F is the time of forward and communication
/// alone, and at most T(gpus), because the line cannot promise less. `last` is the largest scale across nodes at which
/// this stack, model and batch were measured. There T is the measured time without its noise, and the straight line
/// keeps it. The result is 0 up to that scale, and without such a scale.
double ln_shift_to_line(const Curve& curve, int gpus);

} // namespace ddlsim
