#include "sim/base/laplace_check.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>

using namespace ddlsim;

namespace {

/// One residual of one unknown with a wide prior, and its derivative.
RobustProblem one_unknown(const std::function<double(double)>& residual) {
  RobustProblem problem;
  problem.residuals = [=](const std::vector<double>& at) { return std::vector<double>{residual(at[0])}; };
  problem.slopes = [=](const std::vector<double>& at) {
    constexpr double step = 1e-6;
    Matrix slopes(1, 1);
    slopes(0, 0) = (residual(at[0] + step) - residual(at[0] - step)) / (2 * step);
    return slopes;
  };
  problem.loss = Loss::quadratic;
  problem.priors.assign(1, {});
  return problem;
}

std::vector<double> first_unknowns(const LaplaceCheck& check) {
  std::vector<double> found;
  for (const auto& draw : check.draws) found.push_back(draw[0]);
  return found;
}

/// Logarithms of weights that follow a Pareto distribution of that shape.
std::vector<double> pareto_log_weights(double shape, int count) {
  std::vector<double> log_weights;
  for (int i = 0; i < count; ++i) log_weights.push_back(-shape * std::log((i + 0.5) / count));
  return log_weights;
}

} // namespace

TEST_CASE("Pareto's shape comes back from weights that have it") {
  // 4,000 weights have a tail of 190; the weak prior of ten about 0.5 pulls by a twentieth of the distance to it
  for (const double shape : {0.2, 0.5, 0.9, 1.4}) {
    const double pulled = (190 * shape + 10 * 0.5) / 200;
    CHECK(pareto_k(pareto_log_weights(shape, 4000)) == Approx(pulled).margin(0.05));
  }
}

TEST_CASE("equal weights have no tail and count in full") {
  const std::vector<double> equal(100, -3);
  CHECK(pareto_k(equal) == 0);
  CHECK(effective_share(equal) == Approx(1));
  CHECK(effective_share({0, -1000, -1000, -1000}) == Approx(0.25));
}

TEST_CASE("where residuals are linear Laplace's normal distribution stands") {
  const auto problem = one_unknown([](double x) { return 3 * (x - 0.5); });
  const auto check = check_laplace(problem, fit_robust(problem, {0}));
  CHECK(check.draws.empty());
  CHECK_FALSE(check.sampled);
  CHECK(check.effective_share == Approx(1).margin(1e-6));
}

TEST_CASE("a bound is not a value: where nothing saturated, the prior's other side is cut off") {
  // a link slower than 0 would have been seen; a faster one looks the same
  const auto problem = one_unknown([](double x) { return 20 * std::min(0.0, x); });
  RobustFit fit;
  fit.unknowns = {0.3};
  fit.residuals = problem.residuals(fit.unknowns);
  fit.slopes = problem.slopes(fit.unknowns);
  LaplaceCheckOptions options;
  options.proposals = 2000;
  options.draws = 1000;
  const auto check = check_laplace(problem, fit, options);
  REQUIRE(check.draws.size() == 1000);
  const auto drawn = first_unknowns(check);
  const auto below = std::count_if(drawn.begin(), drawn.end(), [](double x) { return x < -0.2; }); // 4 deviations
  CHECK(below == 0);
  // of the prior, a standard normal, its upper half is left, and three quarters of the prior lie below that one's
  // median
  const auto low_half = std::count_if(drawn.begin(), drawn.end(), [](double x) { return x < 0.6745; });
  CHECK(low_half == Approx(500).margin(50)); // 3 standard deviations of 1000 draws; the soft edge moves as little
}

TEST_CASE("where importance weights fail a Markov chain finds what the normal distribution misses") {
  // steep at the fit, flat to its right: Laplace is ten times too narrow
  const auto problem = one_unknown([](double x) { return x < 0 ? 10 * x : 0.5 * std::log1p(20 * x); });
  RobustFit fit;
  fit.unknowns = {0};
  fit.residuals = {0};
  fit.slopes = Matrix(1, 1);
  fit.slopes(0, 0) = 10;
  LaplaceCheckOptions options;
  options.draws = 400;
  const auto check = check_laplace(problem, fit, options);
  CHECK(check.pareto_k > largest_trusted_k);
  REQUIRE(check.sampled);
  REQUIRE(check.draws.size() == 400);
  const auto drawn = first_unknowns(check);
  const auto far = std::count_if(drawn.begin(), drawn.end(), [](double x) { return x > 0.3; }); // 3 of Laplace's
  CHECK(far > 100);
}

TEST_CASE("the mean of the weights is what the posterior holds of Laplace's mass") {
  LaplaceCheckOptions options;
  options.proposals = 1000;
  const auto whole = one_unknown([](double x) { return 3 * (x - 0.5); });
  CHECK(check_laplace(whole, fit_robust(whole, {0}), options).ln_mean_weight == Approx(0).margin(1e-6));

  const auto cut_off = one_unknown([](double x) { return x < 0 ? 10 * x : 200 * x; });
  RobustFit fit;
  fit.unknowns = {0};
  fit.residuals = {0};
  fit.slopes = Matrix(1, 1);
  fit.slopes(0, 0) = 10;
  // the whole lower half, and a twentieth of the upper one, which is as much steeper
  CHECK(std::exp(check_laplace(cut_off, fit, options).ln_mean_weight) == Approx(0.525).margin(0.01));
}

TEST_CASE("the same fit gives the same draws") {
  const auto problem = one_unknown([](double x) { return 20 * std::min(0.0, x); });
  RobustFit fit;
  fit.unknowns = {0.3};
  fit.residuals = {0};
  fit.slopes = Matrix(1, 1);
  CHECK(check_laplace(problem, fit).draws == check_laplace(problem, fit).draws);
}
