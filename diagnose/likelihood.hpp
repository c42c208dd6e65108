#pragma once
// Times of the observed points in samples of the parameters, of a healthy cluster and with a fault in it; and how
// likely observations are: ln of observed times about ln of a sample's times, whose errors are correlated.

#include "diagnose/diagnose.hpp"
#include "sim/predict/scaling_curve.hpp"

#include <Eigen/Core>

#include <vector>

namespace ddlsim {

/// The arguments must outlive it.
class SampledTimes {
public:
  SampledTimes(const Curve& curve, const std::vector<Observation>& observations);

  /// ln of the times of all points, a row a point, a column a sample; without what no parameter explains.
  Eigen::MatrixXd healthy() const { return ln_times(nullptr, 1); }
  Eigen::MatrixXd ill(const FaultKind& kind, double severity) const { return ln_times(&kind, severity); }

private:
  Eigen::MatrixXd ln_times(const FaultKind* kind, double severity) const;

  const Curve& curve_;
  const std::vector<Observation>& observations_;
  std::size_t samples_ = 0;
};

/// Normal about a sample: a mean for each observation, and the lower Cholesky factor of their covariance.
struct Scatter {
  Eigen::VectorXd mean;
  Eigen::MatrixXd factor;
};

/// Iterations of neighbouring scales are off alike (sim/predict/residual_process.hpp); half the variance of all-reduces
/// is common to all sizes of a scale.
Scatter scatter_of(const Curve& curve, const std::vector<Observation>& observations);

/// A vector, in deviations that are independent and of size 1.
Eigen::VectorXd whitened(const Scatter& scatter, const Eigen::VectorXd& ln_times);

/// ln of the mean of exp(-|observed - centre|^2 / 2) over the centres, a column each. `left_out`: a centre that takes
/// no part, because the observation was drawn about it; -1: none.
double ln_likelihood(const Eigen::MatrixXd& centres, const Eigen::VectorXd& observed, Eigen::Index left_out = -1);

} // namespace ddlsim
