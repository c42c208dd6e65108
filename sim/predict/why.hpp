#pragma once
// What a prediction rests on, in five sentences, and which parameters make its interval.

#include "sim/predict/scaling_curve.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// What one parameter, or one factor of named input, has to do with the width of an interval.
struct IntervalShare {
  std::string parameter;   ///< as in priors.json
  std::string measured_by; ///< what a person runs to learn it
  double correlation = 0;  ///< of its z-score with ln(iteration time) over the samples, without its sign
  /// Share of the variance of ln(iteration time), by a linear regression on the z-scores of all parameters: coefficient
  /// x correlation, both standardised (J. Pratt, Dividing the indivisible, 1987). All shares add up to at most 1.
  double share = 0;
};

/// The shares of all parameters that vary with the samples' times, the strongest correlation first. `times_s` are those
/// of the first samples of the curve.
std::vector<IntervalShare> interval_shares(const Curve& curve, const std::vector<double>& times_s);

/// Five sentences on the number and the interval of a point that can be, of that curve:
///   1 what one GPU's time rests on
///   2 what communication rests on, and which measurements narrowed it
///   3 how far beyond what was measured the point is
///   4 what the simulator's number is, and how the interval comes about
///   5 the three parameters that make most of the interval: share of the variance of ln(iteration time), noise of a
///     measurement included, and what narrows each
std::vector<std::string> why_sentences(const Curve& curve, const OneGpuRate& one_gpu, const PointAndSamples& answer);

} // namespace ddlsim
