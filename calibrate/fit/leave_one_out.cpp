#include "calibrate/fit/leave_one_out.hpp"

#include <Eigen/Cholesky>

namespace ddlsim {
namespace {

double cost_of(const Eigen::VectorXd& coordinates, const Eigen::VectorXd& residuals) {
  return coordinates.unaryExpr(&robust_cost).sum() + residuals.unaryExpr(&robust_cost).sum();
}

Eigen::VectorXd step_from(const Eigen::VectorXd& coordinates, const Eigen::VectorXd& residuals,
                          const Eigen::MatrixXd& slopes) {
  const Eigen::VectorXd believed = coordinates.unaryExpr(&robust_weight);
  const Eigen::VectorXd weights = residuals.unaryExpr(&robust_weight);
  Eigen::MatrixXd curvature = slopes.transpose() * weights.asDiagonal() * slopes;
  curvature.diagonal() += believed;
  return -curvature.ldlt().solve(believed.cwiseProduct(coordinates) +
                                 slopes.transpose() * weights.cwiseProduct(residuals));
}

} // namespace

Eigen::VectorXd coordinates_without(const MapFit& fit, Eigen::Index first, Eigen::Index count,
                                    const Residuals& residuals) {
  constexpr int most_steps = 3;
  Eigen::VectorXd coordinates = fit.coordinates;
  Eigen::VectorXd left = fit.residuals;
  Eigen::MatrixXd slopes = fit.slopes;
  left.segment(first, count).setZero();
  slopes.middleRows(first, count).setZero();
  for (int i = 0; i < most_steps; ++i) {
    const double cost = cost_of(coordinates, left);
    const Eigen::VectorXd step = step_from(coordinates, left, slopes);
    bool gained = false;
    for (double share = 1; !gained && share > 0.1; share *= 0.4) {
      const Eigen::VectorXd there = coordinates + share * step;
      Eigen::VectorXd left_there = residuals(there);
      left_there.segment(first, count).setZero();
      gained = cost_of(there, left_there) < cost;
      if (!gained) continue;
      coordinates = there;
      left = left_there;
    }
    constexpr double settled = 0.01; // of the cost
    if (!gained || cost - cost_of(coordinates, left) < settled * cost) break;
  }
  return coordinates;
}

} // namespace ddlsim
