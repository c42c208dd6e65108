#pragma once
// What Eigen factorises and solves, compiled once: a group of sources that calls Eigen's own takes five seconds longer.

#include <Eigen/Core>

#include <optional>

namespace ddlsim {

/// Lower Cholesky factor; nothing where the matrix is not positive definite.
std::optional<Eigen::MatrixXd> cholesky_factor(const Eigen::MatrixXd& matrix);

/// The same of a matrix that is known to be a covariance.
Eigen::MatrixXd factor_of_covariance(const Eigen::MatrixXd& matrix);

/// x of factor x = right, for a lower triangle.
Eigen::VectorXd solve_lower(const Eigen::MatrixXd& factor, const Eigen::VectorXd& right);

/// x of matrix x = right, by Cholesky's L L^T; the lower half of a positive definite matrix is read.
Eigen::VectorXd solve_definite(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& right);

/// The same by L D L^T with pivots, which bears a matrix that is hardly definite.
Eigen::VectorXd solve_symmetric(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& right);
Eigen::MatrixXd solve_symmetric(const Eigen::MatrixXd& matrix, const Eigen::MatrixXd& right);

/// What a linear regression of each column of `observed` on the columns of `terms` leaves. `ridge`: share by which the
/// diagonal is raised, for terms that go together.
Eigen::MatrixXd left_by_regression(const Eigen::MatrixXd& terms, const Eigen::MatrixXd& observed, double ridge);

} // namespace ddlsim
