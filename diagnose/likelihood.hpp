#pragma once
// How likely observations are: ln of observed times about ln of a sample's times, whose doubts hang together.

#include "diagnose/observation.hpp"
#include "sim/predict/scaling_curve.hpp"

#include <Eigen/Core>

#include <vector>

namespace ddlsim {

/// Normal about a sample: a mean for each observation, and the lower Cholesky factor of their covariance.
struct Scatter {
  Eigen::VectorXd mean;
  Eigen::MatrixXd factor;
};

/// Iterations of neighbouring scales are off alike (sim/predict/residual_process.hpp); half the variance of all-reduces is
/// common to all sizes of a scale.
Scatter scatter_of(const Curve& curve, const std::vector<Observation>& observations);

/// A vector, in deviations that are independent and of size 1.
Eigen::VectorXd whitened(const Scatter& scatter, const Eigen::VectorXd& ln_times);

/// ln of the mean of exp(-|observed - centre|^2 / 2) over the centres, a column each.
double ln_likelihood(const Eigen::MatrixXd& centres, const Eigen::VectorXd& observed);

} // namespace ddlsim
