#pragma once
// The likeliest coordinates under heavy-tailed priors and residuals, and how sure they are.

#include <Eigen/Core>

#include <functional>
#include <vector>

namespace ddlsim {

/// Whitened residuals (standard deviation 1) at given coordinates.
using Residuals = std::function<Eigen::VectorXd(const Eigen::VectorXd& z_scores)>;
/// Their derivatives, a row a residual, a column a coordinate.
using Jacobian = std::function<Eigen::MatrixXd(const Eigen::VectorXd& z_scores)>;

struct MapOptions {
  int most_steps = 12;
  double tolerance = 1e-3; ///< of the cost, relative: a smaller gain ends the search
};

struct MapFit {
  Eigen::VectorXd z_scores;
  Eigen::MatrixXd
      covariance;           ///< Laplace: (V + J^T W J)^-1 at the end, V and W the weights of coordinates and residuals
  Eigen::VectorXd leverage; ///< of each residual: what share of its variance the fit took, 0 to 1
  double cost = 0;          ///< sum of robust_cost() over coordinates and residuals
  int steps = 0;
  Eigen::VectorXd residuals; ///< whitened, at the end
  Eigen::MatrixXd slopes;    ///< of them, a row a residual
};

/// Half of 4 ln(1 + r^2 / 4): quadratic near 0, so that a residual of 1 counts nearly as in least squares, and of a
/// run that went wrong little more than of one at 3.
double robust_cost(double residual);
/// The weight that residual has in iterated least squares: 1 / (1 + r^2 / 4).
double robust_weight(double residual);

/// Levenberg and Marquardt with iterated weights, from `start`. Deterministic.
MapFit fit_map(const Residuals& residuals, const Jacobian& jacobian, const Eigen::VectorXd& start,
               const MapOptions& options = {});

} // namespace ddlsim
