#pragma once
// Explains in five sentences what a prediction rests on, and which parameters make its interval wide.

#include "sim/predict/scaling_curve.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// What one parameter, or one factor of named input, contributes to the width of an interval.
struct IntervalShare {
  std::string parameter;   ///< name as in priors.json
  std::string measured_by; ///< the command or benchmark that measures it
  double correlation = 0;  ///< absolute correlation of its z-score with ln(iteration time) over the samples
  /// Share of the variance of ln(iteration time), by a linear regression on the z-scores of all parameters: coefficient
  /// x correlation, both standardised (J. Pratt, Dividing the indivisible, 1987). All shares add up to at most 1.
  double share = 0;
};

/// The shares of all parameters that vary with the samples' times, with the strongest correlation first. `times_s` are
/// the times of the curve's first samples.
std::vector<IntervalShare> interval_shares(const Curve& curve, const std::vector<double>& times_s);

/// Writes five sentences on the number and the interval of a possible point of the curve:
///   1 the evidence for one GPU's time
///   2 the evidence for communication, and which measurements narrowed it
///   3 how far the point is beyond the measured scales
///   4 what the simulator's number is, and how the interval is computed
///   5 the three parameters that contribute most to the interval: each one's share of the variance of
///     ln(iteration time), including the noise of a measurement, and what would narrow it
std::vector<std::string> why_sentences(const Curve& curve, const OneGpuRate& one_gpu, const PointAndSamples& answer);

} // namespace ddlsim
