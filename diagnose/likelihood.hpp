#pragma once
// Times of the observed points in samples of the parameters, of a healthy cluster and with a fault in it; and how
// likely observations are: ln of observed times about ln of a sample's times, whose errors are correlated.

#include "diagnose/fault.hpp"
#include "diagnose/observation.hpp"

#include <Eigen/Core>

#include <vector>

namespace ddlsim {

/// The arguments must outlive it.
class SampledTimes {
public:
  SampledTimes(const Curve& curve, const std::vector<Observation>& observations);

  /// ln of the times of all points, a row a point, a column a sample; without what no parameter explains.
  Eigen::MatrixXd healthy() const { return ln_times(curve_, nullptr, 1); }
  Eigen::MatrixXd ill(const FaultKind& kind, double severity) const {
    return ln_times(kind.curve != nullptr ? *kind.curve : curve_, &kind.row, severity);
  }

private:
  Eigen::MatrixXd ln_times(const Curve& curve, const FaultRow* row, double severity) const;

  const Curve& curve_;
  const std::vector<Observation>& observations_;
  std::size_t samples_ = 0;
};

/// About a sample: a mean for each observation, and the lower Cholesky factor of their covariance.
struct Scatter {
  Eigen::VectorXd mean;
  Eigen::MatrixXd factor;
};

/// What predict says of it: iterations of neighbouring scales, and collectives of neighbouring sizes and scales, are off
/// alike (sim/predict/residual_process.hpp).
Scatter scatter_of(const Curve& curve, const std::vector<Observation>& observations);

/// Some healthy logs are unlike what is known of their cluster: other days, software or switches. Such a log is off by
/// one factor for all its times, and by one for each: standard deviations of ln.
struct UnlikeLogs {
  double share = 0; ///< of healthy logs
  double common = 0;
  double own = 0;
};

/// Among the most likely for the logs that are shipped, 16 a cluster, faster ones taken as usual: within 3 of the best
/// ln likelihood (tests/diagnose/visible_logs_test.cpp prints them), with the larger share of iterations.
inline constexpr UnlikeLogs unlike_iterations{0.05, 0.1, 0.1};
inline constexpr UnlikeLogs unlike_collectives{0.06, 0.3, 0.4};

/// The scatter of such logs.
Scatter scatter_of_unlike(const Scatter& scatter, const UnlikeLogs& unlike);

/// The same where each time is off by a factor of its own, too: `spread` is the standard deviation of its ln.
Scatter widened(const Scatter& scatter, double spread);

/// A vector, in deviations that are independent and of size 1.
Eigen::VectorXd whitened(const Scatter& scatter, const Eigen::VectorXd& ln_times);

/// Deviations have Student's distribution with 4 degrees of freedom: one odd size among many says little. They are
/// scaled so that 90 % of them are within the 90 % of a normal distribution.
inline constexpr double freedom_of_deviations = 4;
inline constexpr double scale_of_deviations = 1.6449 / 2.1318; ///< 95 % quantiles of both

/// ln of the mean density of the centres, a column each, at `observed`, both whitened; but for a constant of the number
/// of points. `left_out`: a centre that takes no part, because the observation was drawn about it; -1: none.
double ln_likelihood(const Eigen::MatrixXd& centres, const Eigen::VectorXd& observed, Eigen::Index left_out = -1);

} // namespace ddlsim
