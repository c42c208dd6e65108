#pragma once
// The pictures of the answers: one function an answer, all for the same page.

#include "calibrate/fit/calibrate.hpp"
#include "diagnose/diagnose.hpp"
#include "plan/plan.hpp"
#include "sim/predict/prediction.hpp"
#include "validate/validation.hpp"
#include "viewer/page.hpp"

namespace ddlsim {

/// Throughput, efficiency and time over GPUs, with the strategy to take as the first line.
Picture prediction_picture(const Prediction& prediction);

} // namespace ddlsim
