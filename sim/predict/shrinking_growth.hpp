#pragma once
// Beyond the last measured scale a job is taken to slow down less than the model says.

#include "sim/predict/scaling_curve.hpp"

namespace ddlsim {

/// What a mixture of the simulator and of the straight line adds to the simulator's ln T at that scale:
///   w (ln max(T(last), F(gpus)) - ln T(gpus)),  w = line_share x exp(-ln(gpus / last) / line_fade)
/// T is the time of the likeliest sample with its residual, by the formulas. F is what forward and communication alone
/// take, and at most T(gpus): the line cannot promise less. `last` is the largest scale across nodes at which this stack,
/// model and batch were measured. There T is the measured time but for its noise, and the straight line keeps it. The
/// result is 0 up to that scale, and where there is none.
double ln_shift_to_line(const Curve& curve, int gpus);

} // namespace ddlsim
