#include "calibrate/left_out.hpp"

#include <Eigen/LU>

namespace ddlsim {

Eigen::VectorXd coordinates_without(const MapFit& fit, Eigen::Index first, Eigen::Index count) {
  const Eigen::MatrixXd slopes = fit.slopes.middleRows(first, count);
  const Eigen::VectorXd residuals = fit.residuals.segment(first, count);
  const Eigen::VectorXd weights = residuals.unaryExpr(&robust_weight);
  const Eigen::MatrixXd taken = slopes * fit.covariance * slopes.transpose() * weights.asDiagonal();
  const Eigen::MatrixXd left = Eigen::MatrixXd::Identity(count, count) - taken;
  const Eigen::VectorXd alone = weights.cwiseProduct(left.partialPivLu().solve(residuals));
  return fit.coordinates + fit.covariance * (slopes.transpose() * alone);
}

} // namespace ddlsim
