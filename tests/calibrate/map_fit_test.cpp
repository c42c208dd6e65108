#include "calibrate/fit/map_fit.hpp"
#include "tests/calibrate/planted_curve.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <catch2/catch.hpp>

#include <cmath>

using namespace ddlsim;
using namespace ddlsim_test;

namespace {

/// Rows a x - b, in units of the noise.
struct Linear {
  Eigen::MatrixXd slopes;
  Eigen::VectorXd measured;

  Residuals residuals() const {
    return [this](const Eigen::VectorXd& at) -> Eigen::VectorXd { return slopes * at - measured; };
  }
  Jacobian jacobian() const {
    return [this](const Eigen::VectorXd&) { return slopes; };
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
  Linear problem{Eigen::MatrixXd(rows, unknowns), Eigen::VectorXd(rows)};
  for (auto& slope : problem.slopes.reshaped()) slope = normal();
  for (auto& value : problem.measured) value = normal();
  return problem;
}

const MapOptions to_the_end{100, 1e-14};

} // namespace

TEST_CASE("cost and weight of a residual: a square near 0, hardly more for the wild") {
  CHECK(robust_cost(0) == 0);
  CHECK(robust_cost(1e-3) == Approx(0.5e-6).epsilon(1e-6));
  CHECK(robust_cost(-2) == Approx(2 * std::log(2.0)));
  CHECK(robust_cost(1000) - robust_cost(100) < 10); // a square's would grow by 495000
  for (const double r : {-3.0, -0.5, 0.1, 1.0, 8.0}) {
    const double step = 1e-5; // central difference: good to step^2
    CHECK(robust_weight(r) * r == Approx((robust_cost(r + step) - robust_cost(r - step)) / (2 * step)).epsilon(1e-8));
  }
}

TEST_CASE("a linear problem with small residuals has the ridge's answer") {
  auto problem = drawn(12, 3, 1);
  problem.measured *= 1e-4; // heavy tails and squares differ by residual^2 / 4 here
  const auto fit = fit_map(problem.residuals(), problem.jacobian(), Eigen::VectorXd::Zero(3), to_the_end);
  const auto ridge = problem.ridge();
  for (int i = 0; i < 3; ++i) CHECK(fit.z_scores(i) == Approx(ridge(i)).epsilon(1e-6));
  const Eigen::MatrixXd covariance =
      (problem.slopes.transpose() * problem.slopes + Eigen::MatrixXd::Identity(3, 3)).inverse();
  CHECK((fit.covariance - covariance).norm() < 1e-6 * covariance.norm());
  const Eigen::MatrixXd hat = problem.slopes * covariance * problem.slopes.transpose();
  for (int r = 0; r < 12; ++r) CHECK(fit.leverage(r) == Approx(hat(r, r)).epsilon(1e-6));
}

TEST_CASE("the end is where the cost is least") {
  const auto problem = drawn(20, 4, 2);
  const auto fit = fit_map(problem.residuals(), problem.jacobian(), Eigen::VectorXd::Zero(4), to_the_end);
  for (int i = 0; i < 4; ++i) {
    for (const double step : {-1e-3, 1e-3}) {
      Eigen::VectorXd aside = fit.z_scores;
      aside(i) += step;
      double cost = 0;
      for (const double z_score : aside) cost += robust_cost(z_score);
      for (const double residual : problem.residuals()(aside)) cost += robust_cost(residual);
      CHECK(cost > fit.cost);
    }
  }
}

TEST_CASE("no evidence leaves the prior") {
  const Linear problem{Eigen::MatrixXd::Zero(3, 2), Eigen::VectorXd::Zero(3)};
  const auto fit = fit_map(problem.residuals(), problem.jacobian(), Eigen::VectorXd::Zero(2));
  CHECK(fit.z_scores.norm() == 0);
  CHECK((fit.covariance - Eigen::MatrixXd::Identity(2, 2)).norm() < 1e-12);
  CHECK(fit.cost == 0);
}

TEST_CASE("an outlier hardly moves the answer, where least squares would follow it") {
  // 20 rows say x = 0.5 to within 0.1 each; one says 5
  Linear problem{Eigen::MatrixXd::Constant(20, 1, 10), Eigen::VectorXd::Constant(20, 5)};
  const auto clean = fit_map(problem.residuals(), problem.jacobian(), Eigen::VectorXd::Zero(1), to_the_end);
  problem.measured(7) = 50;
  const auto spoilt = fit_map(problem.residuals(), problem.jacobian(), Eigen::VectorXd::Zero(1), to_the_end);
  const double follows = problem.ridge()(0) - clean.z_scores(0);
  CHECK(follows > 0.2); // two errors of a single row
  // its pull is weight x residual: 45 / (1 + 45^2 / 4) = 0.09 of the 45 that a square would have
  CHECK(std::abs(spoilt.z_scores(0) - clean.z_scores(0)) < 0.01 * follows);
}

TEST_CASE("a curved problem is solved too, from far") {
  const Residuals residuals = [](const Eigen::VectorXd& at) -> Eigen::VectorXd {
    return Eigen::VectorXd::Constant(4, 20 * (std::exp(0.5 * at(0)) - std::exp(0.5 * 1.2)));
  };
  const Jacobian jacobian = [](const Eigen::VectorXd& at) -> Eigen::MatrixXd {
    return Eigen::MatrixXd::Constant(4, 1, 20 * 0.5 * std::exp(0.5 * at(0)));
  };
  const auto fit = fit_map(residuals, jacobian, Eigen::VectorXd::Constant(1, -3), to_the_end);
  CHECK(fit.z_scores(0) == Approx(1.2).margin(0.002)); // the prior pulls by weight / information = 0.9 / 1300
}

TEST_CASE("the same problem, the same bits") {
  const auto problem = drawn(20, 4, 3);
  const auto a = fit_map(problem.residuals(), problem.jacobian(), Eigen::VectorXd::Zero(4));
  const auto b = fit_map(problem.residuals(), problem.jacobian(), Eigen::VectorXd::Zero(4));
  CHECK(a.z_scores == b.z_scores);
  CHECK(a.covariance == b.covariance);
  CHECK(a.steps == b.steps);
}
