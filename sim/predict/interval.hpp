#pragma once
// The ends of a point's intervals: the times of the samples, spread by the error of the model and by the noise of a
// measurement.

#include "sim/predict/scaling_curve.hpp"

#include <vector>

namespace ddlsim {

/// The error of the model at a scale: a normal distribution of ln(time that a user will measure / simulated time).
struct ModelError {
  double mean = 0;
  double spread = 0; ///< standard deviation of the series' residual there, with what distance adds
  double noise = 0;  ///< standard deviation of one measurement
};
ModelError model_error_at(const Curve& curve, int gpus);

/// Standard deviation of ln of what a user will measure about a sample's mechanism.
double spread_at(const Curve& curve, int gpus);

/// The sample with the residual at that scale: the series' own where it was measured, estimated from there elsewhere.
/// `sample.model_discrepancy` is as drawn from its prior.
Parameters estimated(const Curve& curve, const Parameters& sample, int gpus);

/// The same, where model_error_at() that scale is at hand.
Parameters estimated(const Curve& curve, const Parameters& sample, const ModelError& there);

/// Efficiency of one sample at that scale, by the formulas, where model_error_at() it is at hand.
double efficiency(const Curve& curve, const Parameters& sample, int gpus, const ModelError& there);

/// Iteration times at that scale of the first samples by the formulas, without what no parameter explains and without
/// waiting for input: of all, or of fewer (40 or more) where shards on servers make one costly, so that a point stays
/// within about 0.2 s.
std::vector<double> mechanism_times(const Curve& curve, int gpus);

/// The same as a user would see them: each with its residual as drawn, and with the wait for input.
std::vector<double> with_residuals(const Curve& curve, int gpus, std::vector<double> mechanism_s);

/// Sets the 90 % intervals of time, rate and efficiency of a point whose numbers are set. `to_number`: what turns the
/// time of the likeliest sample by the formulas into its time by the point's fidelity. Efficiency compares with one GPU
/// of the same sample: a slow GPU is slow on both sides.
void set_interval(PredictedPoint& point, const Curve& curve, const StepSetup& setup, double to_number,
                  const std::vector<double>& mechanism_s);

} // namespace ddlsim
