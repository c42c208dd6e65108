#include "calibrate/fit/leave_one_out.hpp"
#include "calibrate/fit/step_fit.hpp"
#include "tests/calibrate/planted_cluster.hpp"

#include <catch2/catch.hpp>

using namespace ddlsim;
using namespace ddlsim_test;

namespace {

/// Rows slopes x - measured, in units of the noise.
Residuals rows_of(const Eigen::MatrixXd& slopes, const Eigen::VectorXd& measured) {
  return [slopes, measured](const Eigen::VectorXd& at) -> Eigen::VectorXd { return slopes * at - measured; };
}

MapFit fit_rows(const Eigen::MatrixXd& slopes, const Eigen::VectorXd& measured) {
  const Jacobian jacobian = [&](const Eigen::VectorXd&) { return slopes; };
  return fit_map(rows_of(slopes, measured), jacobian, Eigen::VectorXd::Zero(slopes.cols()), {100, 1e-14});
}

} // namespace

TEST_CASE("of a linear problem with small residuals the fit without some rows is known exactly") {
  constexpr int rows = 12;
  constexpr int unknowns = 4;
  Normals normal(7);
  Eigen::MatrixXd slopes(rows, unknowns);
  Eigen::VectorXd measured(rows);
  for (auto& slope : slopes.reshaped()) slope = normal();
  for (auto& value : measured) value = 1e-4 * normal(); // weights differ from 1 by residual^2 / 4
  const auto whole = fit_rows(slopes, measured);
  for (const auto& [first, count] : {std::pair{0, 3}, std::pair{5, 1}, std::pair{4, 8}}) {
    Eigen::MatrixXd others = slopes;
    Eigen::VectorXd seen = measured;
    others.middleRows(first, count).setZero();
    seen.segment(first, count).setZero();
    const auto again = fit_rows(others, seen);
    const Eigen::VectorXd moved = z_scores_without(whole, first, count, rows_of(slopes, measured));
    CHECK((moved - again.z_scores).norm() < 1e-6 * again.z_scores.norm());
  }
}

TEST_CASE("without all evidence the prior is left") {
  Eigen::MatrixXd slopes(2, 1);
  slopes << 3, 1;
  Eigen::VectorXd measured(2);
  measured << 3e-4, 2e-4;
  const auto whole = fit_rows(slopes, measured);
  CHECK(whole.z_scores(0) > 5e-5);
  CHECK(std::abs(z_scores_without(whole, 0, 2, rows_of(slopes, measured))(0)) < 1e-9);
}

TEST_CASE("the left-out error of a calibration is that of fits again without each series") {
  const auto reference = planted_reference();
  auto series = planted_data(reference, {"small", "middle", "large"});
  StepFitOptions options;
  options.noise_rounds = 0; // the spread as it is: what is held here is the step from one fit to the others
  double reported = 0;
  double refitted = 0;
  constexpr int seeds = 4;
  for (int seed = 1; seed <= seeds; ++seed) {
    Normals normal(static_cast<std::uint64_t>(seed));
    plant(series, options.alpha_beta, normal);
    const auto quality = fit_steps(series, options).quality;
    CHECK(quality.leave_one_out_points == 18);
    CHECK(quality.leave_one_out_error > quality.fit_error);
    reported += quality.leave_one_out_error / seeds;
    for (std::size_t s = 0; s < series.size(); ++s) {
      auto others = series;
      others[s].excluded = "left out"; // no parameter learns from it; its residuals are told
      const auto again = fit_steps(others, options);
      for (const auto& point : again.series[s].points)
        refitted += std::abs(point.residual) / (seeds * quality.leave_one_out_points);
    }
  }
  INFO("told " << reported << ", by refits " << refitted);
  // The steps keep the slopes of the whole fit, and the model bends on the way: 6 % here.
  CHECK(reported == Approx(refitted).epsilon(0.1));
}
