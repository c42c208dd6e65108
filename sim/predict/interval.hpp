#pragma once
// Computes the intervals of a point from the times of the samples, widened by the model's error and by the noise of a
// measurement.

#include "sim/predict/scaling_curve.hpp"

#include <vector>

namespace ddlsim {

/// The error of the model at a scale: a normal distribution of ln(time that a user will measure / simulated time).
struct ModelError {
  double mean = 0;
  double spread = 0; ///< standard deviation of the series' residual at that scale, with what distance adds
  double noise = 0;  ///< standard deviation of one measurement
};
ModelError model_error_at(const Curve& curve, int gpus);

/// Standard deviation of ln of a measured time around a sample's time without residual.
double spread_at(const Curve& curve, int gpus);

/// Returns the sample with its residual at that scale: the measured residual of the series, or the one estimated from
/// the measured scales. `sample.model_discrepancy` must be as drawn from its prior.
Parameters estimated(const Curve& curve, const Parameters& sample, int gpus);

/// Does the same for a caller that already has the result of model_error_at() for that scale.
Parameters estimated(const Curve& curve, const Parameters& sample, const ModelError& there);

/// Efficiency of one sample at that scale by the formulas, for a caller that already has the result of model_error_at()
/// for it.
double efficiency(const Curve& curve, const Parameters& sample, int gpus, const ModelError& there);

/// Returns iteration times at that scale by the formulas, without residual and without waiting for input. They are
/// those of the first samples of the curve: all, or fewer (at least 40) where many shards on servers make a sample
/// costly, so that a point takes at most about 0.2 s.
std::vector<double> mechanism_times(const Curve& curve, int gpus);

/// Returns the times that a user would measure: each has its drawn residual and its wait for input.
std::vector<double> with_residuals(const Curve& curve, int gpus, std::vector<double> mechanism_s);

/// Sets the 90 % intervals of time, rate and efficiency of a point whose numbers are set. `to_number` is the time of
/// the likeliest sample by the point's fidelity over its time by the formulas. Efficiency compares each sample with one
/// GPU of the same sample, so a slow GPU cancels out.
void set_interval(PredictedPoint& point, const Curve& curve, const StepSetup& setup, double to_number,
                  const std::vector<double>& mechanism_s);

} // namespace ddlsim
