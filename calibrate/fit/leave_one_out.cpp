#include "calibrate/fit/leave_one_out.hpp"

#include <Eigen/Cholesky>

namespace ddlsim {
namespace {

double cost_of(const Eigen::VectorXd& z_scores, const Eigen::VectorXd& residuals) {
  return z_scores.unaryExpr(&robust_cost).sum() + residuals.unaryExpr(&robust_cost).sum();
}

Eigen::VectorXd step_from(const Eigen::VectorXd& z_scores, const Eigen::VectorXd& residuals,
                          const Eigen::MatrixXd& slopes) {
  const Eigen::VectorXd expected = z_scores.unaryExpr(&robust_weight);
  const Eigen::VectorXd weights = residuals.unaryExpr(&robust_weight);
  Eigen::MatrixXd curvature = slopes.transpose() * weights.asDiagonal() * slopes;
  curvature.diagonal() += expected;
  return -curvature.ldlt().solve(expected.cwiseProduct(z_scores) +
                                 slopes.transpose() * weights.cwiseProduct(residuals));
}

} // namespace

Eigen::VectorXd z_scores_without(const MapFit& fit, Eigen::Index first, Eigen::Index count,
                                 const Residuals& residuals) {
  constexpr int most_steps = 3;
  Eigen::VectorXd z_scores = fit.z_scores;
  Eigen::VectorXd left = fit.residuals;
  Eigen::MatrixXd slopes = fit.slopes;
  left.segment(first, count).setZero();
  slopes.middleRows(first, count).setZero();
  for (int i = 0; i < most_steps; ++i) {
    const double cost = cost_of(z_scores, left);
    const Eigen::VectorXd step = step_from(z_scores, left, slopes);
    bool gained = false;
    for (double share = 1; !gained && share > 0.1; share *= 0.4) {
      const Eigen::VectorXd there = z_scores + share * step;
      Eigen::VectorXd left_there = residuals(there);
      left_there.segment(first, count).setZero();
      gained = cost_of(there, left_there) < cost;
      if (!gained) continue;
      z_scores = there;
      left = left_there;
    }
    constexpr double settled = 0.01; // of the cost
    if (!gained || cost - cost_of(z_scores, left) < settled * cost) break;
  }
  return z_scores;
}

} // namespace ddlsim
