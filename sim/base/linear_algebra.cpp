#include "sim/base/linear_algebra.hpp"

#include <Eigen/Cholesky>

namespace ddlsim {

using Eigen::MatrixXd;
using Eigen::VectorXd;

std::optional<MatrixXd> cholesky_factor(const MatrixXd& matrix) {
  const Eigen::LLT<MatrixXd> factor(matrix);
  if (factor.info() != Eigen::Success) return {};
  return MatrixXd(factor.matrixL());
}

MatrixXd factor_of_covariance(const MatrixXd& matrix) {
  return matrix.llt().matrixL();
}

VectorXd solve_lower(const MatrixXd& factor, const VectorXd& right) {
  return factor.triangularView<Eigen::Lower>().solve(right);
}

VectorXd solve_definite(const MatrixXd& matrix, const VectorXd& right) {
  return matrix.llt().solve(right);
}

VectorXd solve_symmetric(const MatrixXd& matrix, const VectorXd& right) {
  return matrix.ldlt().solve(right);
}

MatrixXd solve_symmetric(const MatrixXd& matrix, const MatrixXd& right) {
  return matrix.ldlt().solve(right);
}

MatrixXd left_by_regression(const MatrixXd& terms, const MatrixXd& observed, double ridge) {
  MatrixXd products = terms.transpose() * terms;
  products.diagonal() *= 1 + ridge;
  return observed - terms * products.ldlt().solve(terms.transpose() * observed);
}

} // namespace ddlsim
