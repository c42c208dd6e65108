#include "calibrate/fit/step_problem.hpp"
#include "tests/calibrate/planted_cluster.hpp"

#include <catch2/catch.hpp>

using namespace ddlsim;
using namespace ddlsim_test;

namespace {

struct Planted {
  ReferenceData reference = planted_reference();
  std::vector<SeriesData> series = planted_data(reference, {"small", "large"});
  Planted() {
    Normals normal(7);
    plant(series, StepFitOptions{}.alpha_beta, normal);
  }
};

Eigen::VectorXd middle_of(const StepProblem& problem) {
  return Eigen::VectorXd::Constant(static_cast<Eigen::Index>(problem.free_parameters().all.size()), 0.3);
}

} // namespace

TEST_CASE("a miss is ln(measured / model) of the row's point", "[step-problem]") {
  const Planted planted;
  StepProblem problem(planted.series, {});
  const auto at = middle_of(problem);
  const auto misses = problem.misses(at);
  REQUIRE(problem.rows().size() == 12);
  for (std::size_t r = 0; r < problem.rows().size(); ++r) {
    const auto& [s, p] = problem.rows()[r];
    const auto& point = planted.series[s].points[p];
    const double model_s =
        model_time_s(planted.series[s], point, sample_at(problem.free_parameters(), planted.series[s], s, at));
    CHECK(misses(static_cast<Eigen::Index>(r)) == std::log(point.measured_s / model_s));
  }
}

TEST_CASE("whitened residuals give back the misses through the covariance's factor", "[step-problem]") {
  const Planted planted;
  StepProblem problem(planted.series, {});
  problem.set_scale("nccl-ib", 2);
  problem.set_own(1, 1.5);
  const auto at = middle_of(problem);
  const auto misses = problem.misses(at);
  const auto residuals = problem.residuals(at);
  Eigen::Index first = 0;
  for (std::size_t s = 0; s < planted.series.size(); ++s) {
    const auto& points = planted.series[s].points;
    const auto count = static_cast<Eigen::Index>(points.size());
    CHECK(problem.alpha_beta_of(s).spread == Approx(StepFitOptions{}.alpha_beta.spread * (s == 1 ? 3 : 2)));
    Eigen::MatrixXd among(count, count);
    for (Eigen::Index i = 0; i < count; ++i) {
      const auto& a = points[static_cast<std::size_t>(i)];
      for (Eigen::Index j = 0; j < count; ++j) {
        const auto& b = points[static_cast<std::size_t>(j)];
        among(i, j) = covariance(problem.alpha_beta_of(s), {a.gpus, a.nodes}, {b.gpus, b.nodes});
      }
      among(i, i) += 4 * a.noise * a.noise;
    }
    // r^T r = m^T C^-1 m, whichever factor whitens
    const Eigen::VectorXd own = misses.segment(first, count);
    CHECK(residuals.segment(first, count).squaredNorm() == Approx(own.dot(among.llt().solve(own))).epsilon(1e-9));
    first += count;
  }
}

TEST_CASE("a series that is set aside has no residuals", "[step-problem]") {
  Planted planted;
  planted.series[0].excluded = "told";
  StepProblem problem(planted.series, {});
  const auto residuals = problem.residuals(middle_of(problem));
  CHECK(residuals.head(6).isZero(0));
  CHECK_FALSE(residuals.tail(6).isZero(0));
}

TEST_CASE("derivatives are the central differences of residuals, whatever was asked before", "[step-problem]") {
  const Planted planted;
  StepProblem problem(planted.series, {});
  const auto at = middle_of(problem);
  problem.residuals(Eigen::VectorXd::Zero(at.size())); // the models know another sample
  const auto slopes = problem.jacobian(at);
  constexpr double step = 0.1;
  for (Eigen::Index c = 0; c < at.size(); ++c) {
    Eigen::VectorXd moved = at;
    moved(c) = at(c) + step;
    const auto above = problem.residuals(moved);
    moved(c) = at(c) - step;
    const Eigen::VectorXd expected = (above - problem.residuals(moved)) / (2 * step);
    INFO(problem.free_parameters().all[static_cast<std::size_t>(c)].field);
    CHECK((slopes.col(c) - expected).cwiseAbs().maxCoeff() < 1e-9); // rounding of residuals near 1, over the step
  }
  CHECK(slopes.cwiseAbs().maxCoeff() > 0.1);
}

TEST_CASE("one thread and several find the same to the bit", "[step-problem]") {
  const Planted planted;
  StepFitOptions alone;
  alone.threads = 1;
  StepFitOptions together;
  together.threads = 3;
  StepProblem one(planted.series, alone);
  StepProblem many(planted.series, together);
  const auto at = middle_of(one);
  CHECK(one.residuals(at) == many.residuals(at));
  CHECK(one.jacobian(at) == many.jacobian(at));
}
