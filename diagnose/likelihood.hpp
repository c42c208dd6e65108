#pragma once
// How likely observed times are. ln of an observed time scatters about ln of a sample's time, and the errors of
// neighbouring points are correlated.

#include "diagnose/observation.hpp"

#include <Eigen/Core>

#include <vector>

namespace ddlsim {

/// The distribution of ln of observed times around ln of a sample's times: a mean for each observation, and the lower
/// Cholesky factor of their covariance.
struct Scatter {
  Eigen::VectorXd mean;
  Eigen::MatrixXd factor;
};

/// The scatter that `predict` uses. The errors of iterations at neighbouring scales are correlated, and so are those of
/// collectives of neighbouring sizes and scales (sim/predict/residual_process.hpp).
Scatter scatter_of(const Curve& curve, const std::vector<Observation>& observations);

/// Healthy logs that are not typical of their cluster, because of another day, software or switch. All times of such a
/// log share one random factor, and each has a further one of its own. `common` and `own` are standard deviations of ln
/// of these factors.
struct AtypicalLogs {
  double share = 0; ///< share of healthy logs that are not typical
  double common = 0;
  double own = 0;
};

/// These values are among the most likely for the shipped logs, 16 of each cluster, where faster ones are taken as
/// typical. They are within 3 of the best ln likelihood (tests/diagnose/visible_logs_test.cpp prints them), and
/// iterations have the larger share.
inline constexpr AtypicalLogs atypical_iterations{0.05, 0.1, 0.1};
inline constexpr AtypicalLogs atypical_collectives{0.06, 0.3, 0.4};

/// The scatter of atypical logs.
Scatter scatter_of_atypical(const Scatter& scatter, const AtypicalLogs& atypical);

/// A scatter in which each time has a further factor of its own. `spread` is the standard deviation of ln of that
/// factor.
Scatter widened(const Scatter& scatter, double spread);

/// Returns `ln_times` transformed so that the deviations are independent and have standard deviation 1.
Eigen::VectorXd whitened(const Scatter& scatter, const Eigen::VectorXd& ln_times);

/// Degrees of freedom of the Student's distribution of deviations, so that one odd size among many says little.
/// Deviations are scaled so that 90 % of them are within the 90 % of a normal distribution.
inline constexpr double freedom_of_deviations = 4;
inline constexpr double scale_of_deviations = 1.6449 / 2.1318; ///< ratio of the 95 % quantiles of both distributions

/// ln of the mean over centres (one in each column) of the density at `observed`, both whitened. A constant that
/// depends on the number of points is left out. `left_out` is the centre around which the observation was drawn, and
/// which does not count; -1: all count.
double ln_likelihood(const Eigen::MatrixXd& centres, const Eigen::VectorXd& observed, Eigen::Index left_out = -1);

} // namespace ddlsim
