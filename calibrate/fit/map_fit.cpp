#include "calibrate/fit/map_fit.hpp"

#include <Eigen/Cholesky>

#include <cmath>

namespace ddlsim {
namespace {

double cost_of(const Eigen::VectorXd& z_scores, const Eigen::VectorXd& residuals) {
  double cost = 0;
  for (const double z_score : z_scores) cost += robust_cost(z_score);
  for (const double residual : residuals) cost += robust_cost(residual);
  return cost;
}

/// Of the prior and of the weighted residuals: what Gauss and Newton take for the curvature.
Eigen::MatrixXd curvature(const Eigen::VectorXd& z_scores, const Eigen::MatrixXd& slopes,
                          const Eigen::VectorXd& weights) {
  Eigen::MatrixXd sum = slopes.transpose() * weights.asDiagonal() * slopes;
  sum.diagonal() += z_scores.unaryExpr(&robust_weight);
  return sum;
}

} // namespace

double robust_cost(double residual) {
  return 2 * std::log1p(residual * residual / 4);
}

double robust_weight(double residual) {
  return 1 / (1 + residual * residual / 4);
}

MapFit fit_map(const Residuals& residuals, const Jacobian& jacobian, const Eigen::VectorXd& start,
               const MapOptions& options) {
  MapFit fit;
  fit.z_scores = start;
  Eigen::VectorXd left = residuals(start);
  fit.cost = cost_of(start, left);
  Eigen::MatrixXd slopes = jacobian(start);
  double damping = 1e-3;
  constexpr double most_damping = 1e6;
  for (; fit.steps < options.most_steps && damping < most_damping; ++fit.steps) {
    const Eigen::VectorXd weights = left.unaryExpr(&robust_weight);
    const Eigen::VectorXd gradient = fit.z_scores.unaryExpr(&robust_weight).cwiseProduct(fit.z_scores) +
                                     slopes.transpose() * weights.cwiseProduct(left);
    Eigen::MatrixXd damped = curvature(fit.z_scores, slopes, weights);
    damped.diagonal() *= 1 + damping;
    const Eigen::VectorXd moved = fit.z_scores - damped.ldlt().solve(gradient);
    const Eigen::VectorXd left_there = residuals(moved);
    const double cost_there = cost_of(moved, left_there);
    if (!(cost_there < fit.cost)) {
      damping *= 10;
      continue;
    }
    const double gained = fit.cost - cost_there;
    fit.z_scores = moved;
    fit.cost = cost_there;
    left = left_there;
    damping = std::max(1e-6, damping / 5);
    slopes = jacobian(moved);
    if (gained < options.tolerance * fit.cost) break;
  }
  const Eigen::VectorXd weights = left.unaryExpr(&robust_weight);
  const Eigen::MatrixXd information = curvature(fit.z_scores, slopes, weights);
  fit.covariance = information.ldlt().solve(Eigen::MatrixXd::Identity(information.rows(), information.cols()));
  fit.leverage = weights.cwiseProduct((slopes * fit.covariance).cwiseProduct(slopes).rowwise().sum());
  fit.residuals = left;
  fit.slopes = slopes;
  return fit;
}

} // namespace ddlsim
