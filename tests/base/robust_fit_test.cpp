#include "sim/base/robust_fit.hpp"
#include "tests/base/normals.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <catch2/catch.hpp>

#include <cmath>
#include <numeric>

using namespace ddlsim;
using namespace ddlsim_test;

namespace {

Eigen::VectorXd vector_of(const std::vector<double>& values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

Eigen::MatrixXd matrix_of(const Matrix& matrix) {
  return Eigen::Map<const Eigen::MatrixXd>(matrix.values.data(), static_cast<Eigen::Index>(matrix.rows),
                                           static_cast<Eigen::Index>(matrix.columns));
}

std::vector<double> zeros(std::size_t count) {
  return std::vector<double>(count, 0);
}

/// Rows a x - b, in units of the noise, with standard-normal priors.
struct Linear {
  Eigen::MatrixXd slopes;
  Eigen::VectorXd measured;

  RobustProblem problem() const {
    RobustProblem problem;
    problem.residuals = [this](const std::vector<double>& at) {
      const Eigen::VectorXd left = slopes * vector_of(at) - measured;
      return std::vector<double>(left.begin(), left.end());
    };
    problem.slopes = [this](const std::vector<double>&) {
      Matrix matrix(static_cast<std::size_t>(slopes.rows()), static_cast<std::size_t>(slopes.cols()));
      std::copy(slopes.data(), slopes.data() + slopes.size(), matrix.values.begin());
      return matrix;
    };
    problem.loss = problem.prior_loss = Loss::student_t3;
    problem.priors.assign(static_cast<std::size_t>(slopes.cols()), {});
    return problem;
  }
  /// Least squares with a standard-normal prior: (I + A^T A)^-1 A^T b.
  Eigen::VectorXd ridge() const {
    return (slopes.transpose() * slopes + Eigen::MatrixXd::Identity(slopes.cols(), slopes.cols()))
        .ldlt()
        .solve(slopes.transpose() * measured);
  }
};

Linear drawn(int rows, int unknowns, std::uint64_t seed) {
  Normals normal(seed);
  Linear linear{Eigen::MatrixXd(rows, unknowns), Eigen::VectorXd(rows)};
  for (auto& slope : linear.slopes.reshaped()) slope = normal();
  for (auto& value : linear.measured) value = normal();
  return linear;
}

const RobustFitOptions to_the_end{100, 1e-14};
constexpr Loss losses[] = {Loss::quadratic, Loss::student_t3, Loss::student_t4, Loss::soft_l1};

} // namespace

TEST_CASE("every loss weighs a residual by its derivative", "[robust-fit]") {
  for (const auto loss : losses) {
    CHECK(cost_of(loss, 0) == 0);
    CHECK(cost_of(loss, 1e-3) == Approx((loss == Loss::student_t4 ? 1.25 : 1) * 0.5e-6).epsilon(1e-6));
    for (const double r : {-3.0, -0.5, 0.1, 1.0, 8.0}) {
      const double step = 1e-5; // central difference: good to step^2
      const double derivative = (cost_of(loss, r + step) - cost_of(loss, r - step)) / (2 * step);
      CHECK(weight_of(loss, r) * r == Approx(derivative).epsilon(1e-7));
    }
  }
  CHECK(cost_of(Loss::student_t3, -2) == Approx(2 * std::log(2.0)));
  CHECK(cost_of(Loss::student_t3, 1000) - cost_of(Loss::student_t3, 100) < 10); // a square's would grow by 495000
  CHECK(cost_of(Loss::soft_l1, 1000) == Approx(999).epsilon(1e-5));
}

TEST_CASE("Student's t is minus the logarithm of its density", "[robust-fit]") {
  const double at_0 = std::tgamma(2.5) / (std::sqrt(4 * 3.141592653589793) * std::tgamma(2));
  for (const double r : {0.5, 2.0, 9.0}) {
    const double density = at_0 * std::pow(1 + r * r / 4, -2.5);
    CHECK(cost_of(Loss::student_t4, r) == Approx(std::log(at_0 / density)));
  }
}

TEST_CASE("a linear problem with small residuals has the ridge's answer, whatever the loss", "[robust-fit]") {
  auto linear = drawn(12, 3, 1);
  linear.measured *= 1e-4; // heavy tails and squares differ by residual^2 / 4 here
  for (const auto loss : {Loss::quadratic, Loss::student_t3, Loss::soft_l1}) {
    auto problem = linear.problem();
    problem.loss = loss;
    const auto fit = fit_robust(problem, zeros(3), to_the_end);
    const auto ridge = linear.ridge();
    for (int i = 0; i < 3; ++i) CHECK(fit.unknowns[static_cast<std::size_t>(i)] == Approx(ridge(i)).epsilon(1e-6));
    const auto uncertainty = uncertainty_of(problem, fit);
    const Eigen::MatrixXd covariance =
        (linear.slopes.transpose() * linear.slopes + Eigen::MatrixXd::Identity(3, 3)).inverse();
    CHECK((matrix_of(uncertainty.covariance) - covariance).norm() < 1e-6 * covariance.norm());
    const Eigen::MatrixXd hat = linear.slopes * covariance * linear.slopes.transpose();
    for (int r = 0; r < 12; ++r)
      CHECK(uncertainty.leverage[static_cast<std::size_t>(r)] == Approx(hat(r, r)).epsilon(1e-6));
  }
}

TEST_CASE("a prior of any mean and width pulls as its own row would", "[robust-fit]") {
  const Linear linear{Eigen::MatrixXd::Constant(1, 1, 2), Eigen::VectorXd::Constant(1, 6)};
  auto problem = linear.problem();
  problem.loss = problem.prior_loss = Loss::quadratic;
  problem.priors = {{1, 0.5}};
  const auto fit = fit_robust(problem, zeros(1), to_the_end);
  CHECK(fit.unknowns[0] == Approx((4 * 3 + 4 * 1) / 8.0)); // precisions 4 about 3 and 4 about 1
  CHECK(uncertainty_of(problem, fit).covariance(0, 0) == Approx(1 / 8.0));
}

TEST_CASE("the end is where the cost is least", "[robust-fit]") {
  const auto linear = drawn(20, 4, 2);
  for (const auto loss : losses) {
    auto problem = linear.problem();
    problem.loss = loss;
    const auto fit = fit_robust(problem, zeros(4), to_the_end);
    for (std::size_t i = 0; i < 4; ++i) {
      for (const double step : {-1e-3, 1e-3}) {
        auto aside = fit.unknowns;
        aside[i] += step;
        double cost = 0;
        for (const double unknown : aside) cost += cost_of(problem.prior_loss, unknown);
        for (const double residual : problem.residuals(aside)) cost += cost_of(loss, residual);
        CHECK(cost > fit.cost);
      }
    }
  }
}

TEST_CASE("no evidence leaves the prior", "[robust-fit]") {
  const Linear linear{Eigen::MatrixXd::Zero(3, 2), Eigen::VectorXd::Zero(3)};
  const auto problem = linear.problem();
  const auto fit = fit_robust(problem, zeros(2));
  CHECK(fit.unknowns == zeros(2));
  CHECK((matrix_of(uncertainty_of(problem, fit).covariance) - Eigen::MatrixXd::Identity(2, 2)).norm() < 1e-12);
  CHECK(fit.cost == 0);
}

TEST_CASE("an outlier hardly moves the answer, where least squares would follow it", "[robust-fit]") {
  // 20 rows say x = 0.5 to within 0.1 each; one says 5
  Linear linear{Eigen::MatrixXd::Constant(20, 1, 10), Eigen::VectorXd::Constant(20, 5)};
  const auto clean = fit_robust(linear.problem(), zeros(1), to_the_end);
  linear.measured(7) = 50;
  const auto spoilt = fit_robust(linear.problem(), zeros(1), to_the_end);
  const double follows = linear.ridge()(0) - clean.unknowns[0];
  CHECK(follows > 0.2); // two errors of a single row
  // its pull is weight x residual: 45 / (1 + 45^2 / 4) = 0.09 of the 45 that a square would have
  CHECK(std::abs(spoilt.unknowns[0] - clean.unknowns[0]) < 0.01 * follows);
}

TEST_CASE("a curved problem is solved too, from far, and in steps as short as asked", "[robust-fit]") {
  RobustProblem problem;
  problem.priors = {{}};
  double longest = 0;
  double last = -3;
  problem.residuals = [](const std::vector<double>& at) {
    return std::vector<double>(4, 20 * (std::exp(0.5 * at[0]) - std::exp(0.5 * 1.2)));
  };
  problem.slopes = [&](const std::vector<double>& at) {
    longest = std::max(longest, std::abs(at[0] - last));
    last = at[0];
    Matrix slopes(4, 1);
    for (auto& slope : slopes.values) slope = 20 * 0.5 * std::exp(0.5 * at[0]);
    return slopes;
  };
  CHECK(fit_robust(problem, {-3}, to_the_end).unknowns[0] == Approx(1.2).margin(0.002)); // the prior's pull
  longest = 0;
  last = -3;
  CHECK(fit_robust(problem, {-3}, {100, 1e-14, 0.25}).unknowns[0] == Approx(1.2).margin(0.002));
  CHECK(longest <= 0.25 + 1e-12);
}

TEST_CASE("the same problem, the same bits", "[robust-fit]") {
  const auto linear = drawn(20, 4, 3);
  const auto a = fit_robust(linear.problem(), zeros(4));
  const auto b = fit_robust(linear.problem(), zeros(4));
  CHECK(a.unknowns == b.unknowns);
  CHECK(a.slopes == b.slopes);
  CHECK(a.steps == b.steps);
}

TEST_CASE("of a linear problem with small residuals the fit without some rows is known exactly", "[robust-fit]") {
  auto linear = drawn(12, 4, 7);
  linear.measured *= 1e-4; // weights differ from 1 by residual^2 / 4
  const auto whole = fit_robust(linear.problem(), zeros(4), to_the_end);
  for (const auto& [first, count] : {std::pair{0, 3}, std::pair{5, 1}, std::pair{4, 8}}) {
    auto others = linear;
    others.slopes.middleRows(first, count).setZero();
    others.measured.segment(first, count).setZero();
    const auto again = vector_of(fit_robust(others.problem(), zeros(4), to_the_end).unknowns);
    std::vector<std::size_t> left_out(static_cast<std::size_t>(count));
    std::iota(left_out.begin(), left_out.end(), static_cast<std::size_t>(first));
    const auto moved = vector_of(unknowns_without(linear.problem(), whole, left_out));
    CHECK((moved - again).norm() < 1e-6 * again.norm());
  }
}

TEST_CASE("without all evidence the prior is left", "[robust-fit]") {
  Linear linear{Eigen::MatrixXd(2, 1), Eigen::VectorXd(2)};
  linear.slopes << 3, 1;
  linear.measured << 3e-4, 2e-4;
  const auto whole = fit_robust(linear.problem(), zeros(1), to_the_end);
  CHECK(whole.unknowns[0] > 5e-5);
  CHECK(std::abs(unknowns_without(linear.problem(), whole, {0, 1})[0]) < 1e-9);
}
