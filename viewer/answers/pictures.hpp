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

/// Time against cost of the choices, with the limits; without prices the number of GPUs in place of cost.
Picture plan_picture(const Plan& plan);

/// What was measured beside what a healthy cluster does: bus bandwidth and time by size, times of iterations.
Picture diagnosis_picture(const Diagnosis& diagnosis);

/// How far measured times are from the fitted model, and each parameter beside its prior.
Picture calibration_picture(const Calibrated& calibrated);

/// The error of each split beside the other methods, and predicted against measured times.
Picture validation_picture(const ValidationResult& result);

} // namespace ddlsim
