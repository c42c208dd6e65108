#pragma once
// How likely observed times are: ln of an observed time scatters about ln of a sample's time, and the errors of
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

/// The scatter that `predict` uses: the errors of iterations of neighbouring scales are correlated, and those of
/// collectives of neighbouring sizes and scales (sim/predict/residual_process.hpp).
Scatter scatter_of(const Curve& curve, const std::vector<Observation>& observations);

/// Some healthy logs are not typical of their cluster: another day, software or switch. All times of such a log share
/// one random factor, and each has a further one of its own. `common` and `own` are standard deviations of ln of these
/// factors.
struct AtypicalLogs {
  double share = 0; ///< of healthy logs
  double common = 0;
  double own = 0;
};

/// Among the most likely for the logs that are shipped, 16 a cluster, faster ones taken as usual: within 3 of the best
/// ln likelihood (tests/diagnose/visible_logs_test.cpp prints them), with the larger share of iterations.
inline constexpr AtypicalLogs atypical_iterations{0.05, 0.1, 0.1};
inline constexpr AtypicalLogs atypical_collectives{0.06, 0.3, 0.4};

/// The scatter of atypical logs.
Scatter scatter_of_atypical(const Scatter& scatter, const AtypicalLogs& atypical);

/// A scatter in which each time has a further factor of its own; `spread` is the standard deviation of its ln.
Scatter widened(const Scatter& scatter, double spread);

/// `ln_times` transformed so that the deviations are independent and have standard deviation 1.
Eigen::VectorXd whitened(const Scatter& scatter, const Eigen::VectorXd& ln_times);

/// Deviations have Student's distribution with 4 degrees of freedom: one odd size among many says little. They are
/// scaled so that 90 % of them are within the 90 % of a normal distribution.
inline constexpr double freedom_of_deviations = 4;
inline constexpr double scale_of_deviations = 1.6449 / 2.1318; ///< 95 % quantiles of both

/// ln of the mean over centres (one per column) of the density at `observed`, both whitened, up to a constant that
/// depends on the number of points. `left_out`: the centre that the observation was drawn around and that is left out;
/// -1: none.
double ln_likelihood(const Eigen::MatrixXd& centres, const Eigen::VectorXd& observed, Eigen::Index left_out = -1);

} // namespace ddlsim
