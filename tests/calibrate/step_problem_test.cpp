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
    plant(series, StepFitOptions{}.residual_process(), normal);
  }
};

std::vector<double> middle_of(const StepProblem& problem) {
  return std::vector<double>(problem.free_parameters().all.size(), 0.3);
}

} // namespace

TEST_CASE("a miss is ln(measured / model) of the row's point", "[step-problem]") {
  const Planted planted;
  StepProblem problem(planted.series, {});
  const auto at = middle_of(problem);
  const auto log_residuals = problem.log_residuals(at);
  REQUIRE(problem.rows().size() == 12);
  for (std::size_t r = 0; r < problem.rows().size(); ++r) {
    const auto& [s, p] = problem.rows()[r];
    const auto& point = planted.series[s].points[p];
    const double model_s =
        model_time_s(planted.series[s], point, sample_at(problem.free_parameters(), planted.series[s], s, at));
    CHECK(log_residuals[r] == std::log(point.measured_s / model_s));
  }
}

TEST_CASE("whitened residuals give back the misses through the covariance's factor", "[step-problem]") {
  const Planted planted;
  StepProblem problem(planted.series, {});
  problem.set_scale("nccl-ib", 2);
  problem.set_own(1, 1.5);
  const auto at = middle_of(problem);
  const auto log_residuals = problem.log_residuals(at);
  const auto residuals = problem.whitened_residuals(at);
  Eigen::Index first = 0;
  for (std::size_t s = 0; s < planted.series.size(); ++s) {
    const auto& points = planted.series[s].points;
    const auto count = static_cast<Eigen::Index>(points.size());
    CHECK(problem.residual_process_of(s).spread ==
          Approx(StepFitOptions{}.residual_process().spread * (s == 1 ? 3 : 2)));
    Eigen::MatrixXd among(count, count);
    for (Eigen::Index i = 0; i < count; ++i) {
      const auto& a = points[static_cast<std::size_t>(i)];
      for (Eigen::Index j = 0; j < count; ++j) {
        const auto& b = points[static_cast<std::size_t>(j)];
        among(i, j) = covariance(problem.residual_process_of(s), {a.gpus, a.nodes}, {b.gpus, b.nodes});
      }
      among(i, i) += 4 * a.noise * a.noise;
    }
    // r^T r = m^T C^-1 m, whichever factor whitens
    const auto own = Eigen::Map<const Eigen::VectorXd>(log_residuals.data() + first, count);
    const auto white = Eigen::Map<const Eigen::VectorXd>(residuals.data() + first, count);
    CHECK(white.squaredNorm() == Approx(own.dot(among.llt().solve(own))).epsilon(1e-9));
    first += count;
  }
}

TEST_CASE("a series that is excluded has no residuals", "[step-problem]") {
  Planted planted;
  planted.series[0].excluded = "a reason";
  StepProblem problem(planted.series, {});
  const auto residuals = problem.whitened_residuals(middle_of(problem));
  CHECK(std::all_of(residuals.begin(), residuals.begin() + 6, [](double one) { return one == 0; }));
  CHECK(std::all_of(residuals.begin() + 6, residuals.end(), [](double one) { return one != 0; }));
}

TEST_CASE("derivatives are the central differences of residuals, whatever was asked before", "[step-problem]") {
  const Planted planted;
  StepProblem problem(planted.series, {});
  const auto at = middle_of(problem);
  problem.whitened_residuals(std::vector<double>(at.size(), 0)); // the models know another sample
  const auto slopes = problem.whiten_slopes(problem.log_residual_slopes(at, problem.all_slopes()));
  constexpr double step = 0.1;
  double largest = 0;
  for (std::size_t c = 0; c < at.size(); ++c) {
    auto moved = at;
    moved[c] = at[c] + step;
    const auto above = problem.whitened_residuals(moved);
    moved[c] = at[c] - step;
    const auto below = problem.whitened_residuals(moved);
    INFO(problem.free_parameters().all[c].field);
    for (std::size_t r = 0; r < slopes.rows; ++r) {
      CHECK(std::abs(slopes(r, c) - (above[r] - below[r]) / (2 * step)) < 1e-9); // rounding over the step
      largest = std::max(largest, std::abs(slopes(r, c)));
    }
  }
  CHECK(largest > 0.1);
  CHECK(problem.whiten_slopes(problem.log_residual_slopes(at, problem.all_slopes())) == slopes); // asked again
}

TEST_CASE("only the derivatives asked for are worked out", "[step-problem]") {
  const Planted planted;
  StepProblem problem(planted.series, {});
  const auto at = middle_of(problem);
  const auto all = problem.log_residual_slopes(at, problem.all_slopes());
  auto wanted = problem.all_slopes();
  wanted[3].assign(at.size(), 0);
  const auto some = problem.log_residual_slopes(at, wanted);
  for (std::size_t r = 0; r < all.rows; ++r)
    for (std::size_t c = 0; c < all.columns; ++c) CHECK(some(r, c) == (r == 3 ? 0 : all(r, c)));
}

TEST_CASE("negligible derivatives are worked out at every fourth place", "[step-problem]") {
  const Planted planted;
  StepProblem problem(planted.series, {});
  SlopeFollower follower(problem);
  const auto at = middle_of(problem);
  const auto all = problem.log_residual_slopes(at, problem.all_slopes());
  auto followed = problem.all_slopes();
  for (std::size_t r = 0; r < all.rows; ++r)
    for (std::size_t c = 0; c < all.columns; ++c)
      if (std::abs(all(r, c)) <= 3e-4) followed[r][c] = 0;
  const auto part = problem.whiten_slopes(problem.log_residual_slopes(at, followed));
  const auto whole = problem.whiten_slopes(all);
  CHECK(follower.next(at) == whole);
  for (int i = 0; i < 3; ++i) CHECK(follower.next(at) == part);
  CHECK(follower.next(at) == whole);
  CHECK(follower.next(at) == part);
  follower.begin_search();
  CHECK(follower.next(at) == whole);
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
  CHECK(one.whitened_residuals(at) == many.whitened_residuals(at));
  CHECK(one.log_residual_slopes(at, one.all_slopes()) == many.log_residual_slopes(at, many.all_slopes()));
}
