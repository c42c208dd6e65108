#include "sim/base/robust_fit.hpp"

#include "sim/base/linear_algebra.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Eigen::Map<const VectorXd> vector_of(const std::vector<double>& values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

Eigen::Map<const MatrixXd> matrix_of(const Matrix& matrix) {
  return {matrix.values.data(), static_cast<Eigen::Index>(matrix.rows), static_cast<Eigen::Index>(matrix.columns)};
}

std::vector<double> values_of(const VectorXd& vector) {
  return {vector.begin(), vector.end()};
}

/// Distance of an unknown from its prior's mean, in standard deviations.
double prior_residual(const NormalPrior& prior, double unknown) {
  return (unknown - prior.mean) / prior.width;
}

double total_cost(const RobustProblem& problem, const std::vector<double>& unknowns,
                  const std::vector<double>& residuals) {
  double cost = 0;
  for (std::size_t i = 0; i < unknowns.size(); ++i)
    cost += cost_of(problem.prior_loss, prior_residual(problem.priors[i], unknowns[i]));
  for (const double residual : residuals) cost += cost_of(problem.loss, residual);
  return cost;
}

/// The Gauss-Newton approximation of the cost's derivatives, with the iterated weights.
struct NormalEquations {
  VectorXd gradient;
  MatrixXd curvature;
};

NormalEquations normal_equations(const RobustProblem& problem, const std::vector<double>& unknowns,
                                 const std::vector<double>& residuals, const Matrix& slopes_there) {
  const VectorXd left = vector_of(residuals);
  const MatrixXd slopes = matrix_of(slopes_there);
  const VectorXd weights = left.unaryExpr([&](double residual) { return weight_of(problem.loss, residual); });
  VectorXd pull(static_cast<Eigen::Index>(unknowns.size()));
  VectorXd stiffness(static_cast<Eigen::Index>(unknowns.size()));
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const auto& prior = problem.priors[i];
    const double distance = prior_residual(prior, unknowns[i]);
    const double weight = weight_of(problem.prior_loss, distance);
    pull(static_cast<Eigen::Index>(i)) = weight * distance / prior.width;
    stiffness(static_cast<Eigen::Index>(i)) = weight / (prior.width * prior.width);
  }
  NormalEquations normal;
  normal.gradient = pull + slopes.transpose() * weights.cwiseProduct(left);
  normal.curvature = slopes.transpose() * weights.asDiagonal() * slopes;
  normal.curvature.diagonal() += stiffness;
  return normal;
}

constexpr double first_damping = 1e-3;
constexpr double least_damping = 1e-6;
constexpr double most_damping = 1e6; ///< largest damping; with more, steps are too small to help

/// A step of Levenberg-Marquardt, which raises the diagonal of the curvature by the share `damping` of itself.
std::vector<double> damped_step(const RobustProblem& problem, const RobustFit& from, double damping,
                                double largest_step) {
  auto normal = normal_equations(problem, from.unknowns, from.residuals, from.slopes);
  normal.curvature.diagonal() *= 1 + damping;
  const VectorXd step =
      solve_symmetric(normal.curvature, normal.gradient).cwiseMin(largest_step).cwiseMax(-largest_step);
  return values_of(vector_of(from.unknowns) - step);
}

void clear_rows(std::vector<double>& residuals, const std::vector<std::size_t>& left_out) {
  for (const std::size_t row : left_out) residuals[row] = 0;
}

} // namespace

double cost_of(Loss loss, double residual) {
  const double square = residual * residual;
  switch (loss) {
  case Loss::quadratic:
    return square / 2;
  case Loss::student_t3:
    return 2 * std::log1p(square / 4);
  case Loss::student_t4:
    return 2.5 * std::log1p(square / 4);
  case Loss::soft_l1:
    break;
  }
  return std::sqrt(1 + square) - 1;
}

double weight_of(Loss loss, double residual) {
  const double square = residual * residual;
  switch (loss) {
  case Loss::quadratic:
    return 1;
  case Loss::student_t3:
    return 1 / (1 + square / 4);
  case Loss::student_t4:
    return 5 / (4 + square);
  case Loss::soft_l1:
    break;
  }
  return 1 / std::sqrt(1 + square);
}

RobustFit fit_robust(const RobustProblem& problem, const std::vector<double>& start, const RobustFitOptions& options) {
  if (problem.begin_search) problem.begin_search();
  RobustFit fit;
  fit.unknowns = start;
  fit.residuals = problem.residuals(start);
  fit.cost = total_cost(problem, start, fit.residuals);
  fit.slopes = problem.slopes(start);
  double damping = first_damping;
  for (; fit.steps < options.most_steps && damping < most_damping; ++fit.steps) {
    const auto there = damped_step(problem, fit, damping, options.largest_step);
    auto residuals = problem.residuals(there);
    const double cost = total_cost(problem, there, residuals);
    if (!(cost < fit.cost)) {
      damping *= 10;
      continue;
    }
    const double gained = fit.cost - cost;
    fit.unknowns = there;
    fit.cost = cost;
    fit.residuals = std::move(residuals);
    damping = std::max(least_damping, damping / 5);
    fit.slopes = problem.slopes(there);
    if (gained < options.tolerance * fit.cost) break;
  }
  return fit;
}

FitUncertainty uncertainty_of(const RobustProblem& problem, const RobustFit& fit) {
  const MatrixXd information = normal_equations(problem, fit.unknowns, fit.residuals, fit.slopes).curvature;
  const MatrixXd unit = MatrixXd::Identity(information.rows(), information.cols());
  const MatrixXd covariance = solve_symmetric(information, unit);
  const MatrixXd slopes = matrix_of(fit.slopes);
  const VectorXd weights =
      vector_of(fit.residuals).unaryExpr([&](double residual) { return weight_of(problem.loss, residual); });
  FitUncertainty uncertainty;
  uncertainty.covariance = Matrix(fit.unknowns.size(), fit.unknowns.size());
  std::copy(covariance.data(), covariance.data() + covariance.size(), uncertainty.covariance.values.begin());
  uncertainty.leverage = values_of(weights.cwiseProduct((slopes * covariance).cwiseProduct(slopes).rowwise().sum()));
  return uncertainty;
}

std::vector<double> unknowns_without(const RobustProblem& problem, const RobustFit& fit,
                                     const std::vector<std::size_t>& left_out) {
  constexpr int most_steps = 3;
  constexpr double shorter = 0.4;
  constexpr double shortest = 0.1; // share of a step; if a shorter one is needed, the direction is wrong
  constexpr double settled = 0.01; // share of the cost below which a step changes little, so that the fit stops
  auto unknowns = fit.unknowns;
  auto residuals = fit.residuals;
  auto slopes = fit.slopes;
  clear_rows(residuals, left_out);
  for (std::size_t column = 0; column < slopes.columns; ++column)
    for (const std::size_t row : left_out) slopes(row, column) = 0;
  for (int i = 0; i < most_steps; ++i) {
    const double cost = total_cost(problem, unknowns, residuals);
    const auto normal = normal_equations(problem, unknowns, residuals, slopes);
    const VectorXd step = -solve_symmetric(normal.curvature, normal.gradient);
    double gained = 0;
    for (double share = 1; !(gained > 0) && share > shortest; share *= shorter) {
      const auto there = values_of(vector_of(unknowns) + share * step);
      auto residuals_there = problem.residuals(there);
      clear_rows(residuals_there, left_out);
      gained = cost - total_cost(problem, there, residuals_there);
      if (!(gained > 0)) continue;
      unknowns = there;
      residuals = std::move(residuals_there);
    }
    if (!(gained > 0) || gained < settled * cost) break;
  }
  return unknowns;
}

} // namespace ddlsim
