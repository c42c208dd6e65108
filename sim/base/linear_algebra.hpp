#pragma once
// Factorisations and solvers of Eigen, compiled once: each group of sources that calls Eigen's own takes five seconds
// longer.

#include <Eigen/Core>

#include <optional>

namespace ddlsim {

/// Returns the lower Cholesky factor; nothing when the matrix is not positive definite.
std::optional<Eigen::MatrixXd> cholesky_factor(const Eigen::MatrixXd& matrix);

/// Returns the lower Cholesky factor of a matrix that is known to be a covariance.
Eigen::MatrixXd factor_of_covariance(const Eigen::MatrixXd& matrix);

/// Solves factor x = right for x, where `factor` is a lower triangle.
Eigen::VectorXd solve_lower(const Eigen::MatrixXd& factor, const Eigen::VectorXd& right);

/// Solves matrix x = right for x by Cholesky's L L^T. The matrix is positive definite; only its lower half is read.
Eigen::VectorXd solve_definite(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& right);

/// Solves matrix x = right for x by L D L^T with pivots, which also handles a matrix that is nearly singular.
Eigen::VectorXd solve_symmetric(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& right);
Eigen::MatrixXd solve_symmetric(const Eigen::MatrixXd& matrix, const Eigen::MatrixXd& right);

/// Returns the residuals of a linear regression of each column of `observed` on the columns of `terms`. The diagonal is
/// raised by the share `ridge`, for terms that are correlated.
Eigen::MatrixXd left_by_regression(const Eigen::MatrixXd& terms, const Eigen::MatrixXd& observed, double ridge);

} // namespace ddlsim
