#include "sim/compute/batch_line_fit.hpp"

#include "sim/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace ddlsim {
namespace {

/// Intercepts of MXNet's published batch sweeps of five GPUs are 0.8 to 1.7 times what is expected.
constexpr double one_batch_prior_width = 0.3;
/// With two batches the measurements decide and the expectation, which is off by up to e^0.5 there, only keeps ln fixed
/// finite.
constexpr double weak_prior_width = 1.0;
constexpr double one_launch_s = 5e-6;       ///< no iteration has a smaller fixed part
constexpr double largest_fixed_share = 0.9; ///< so that the growing part stays above 0
/// Measurements that the affine residual counts for when the scatter of few points is estimated.
constexpr double residual_weight = 4;

void check(const std::vector<BatchTime>& points) {
  if (points.empty()) throw UserError("", "", "no measured time; a line needs one");
  for (const auto& point : points) {
    const bool good = std::isfinite(point.batch) && std::isfinite(point.time_s) && point.batch > 0 && point.time_s > 0;
    if (!good)
      throw UserError(
          "", "", fmt::format("batch {:g} in {:g} s; expected a batch and a time above 0", point.batch, point.time_s));
  }
}

/// Objective and its derivatives by x = (ln fixed, ln per sample).
struct Slope {
  double value = 0;
  double gradient[2] = {0, 0};
  double curvature[3] = {0, 0, 0}; ///< 00, 01, 11 (Gauss and Newton)
  double weighted_squares = 0;     ///< of the residuals of ln
};

struct Problem {
  const std::vector<BatchTime>& points;
  double prior_mean; ///< of ln fixed
  double prior_width;
  double scatter; ///< of ln time

  Slope at(double ln_fixed, double ln_per_sample) const {
    const double pull = (ln_fixed - prior_mean) / prior_width;
    Slope slope{pull * pull / 2, {pull / prior_width, 0}, {1 / (prior_width * prior_width), 0, 0}, 0};
    for (const auto& point : points) {
      const double fixed = std::exp(ln_fixed);
      const double total = fixed + std::exp(ln_per_sample) * point.batch;
      const double residual = std::log(total / point.time_s) / scatter;
      const double root = std::sqrt(1 + residual * residual);
      const double by_fixed = fixed / total / scatter;
      const double by_sample = (1 - fixed / total) / scatter;
      slope.value += root - 1;
      slope.gradient[0] += residual / root * by_fixed;
      slope.gradient[1] += residual / root * by_sample;
      slope.curvature[0] += by_fixed * by_fixed / root;
      slope.curvature[1] += by_fixed * by_sample / root;
      slope.curvature[2] += by_sample * by_sample / root;
      slope.weighted_squares += residual * residual * scatter * scatter / root;
    }
    return slope;
  }
};

/// Newton's step with the diagonal raised by `damping`.
std::pair<double, double> damped_step(const Slope& slope, double damping) {
  const double first = slope.curvature[0] * (1 + damping);
  const double last = slope.curvature[2] * (1 + damping);
  const double determinant = first * last - slope.curvature[1] * slope.curvature[1];
  return {-(last * slope.gradient[0] - slope.curvature[1] * slope.gradient[1]) / determinant,
          -(first * slope.gradient[1] - slope.curvature[1] * slope.gradient[0]) / determinant};
}

/// Goes down from (x, y) until a step no longer helps (Levenberg and Marquardt).
void descend(const Problem& problem, double& x, double& y) {
  constexpr int most_steps = 200;
  constexpr double largest_step = 2; // of a logarithm: the exponentials stay finite
  constexpr double enough = 1e-14;
  double damping = 1e-3;
  auto here = problem.at(x, y);
  for (int i = 0; i < most_steps && damping < 1e9; ++i) {
    auto [dx, dy] = damped_step(here, damping);
    dx = std::clamp(dx, -largest_step, largest_step);
    dy = std::clamp(dy, -largest_step, largest_step);
    const auto there = problem.at(x + dx, y + dy);
    if (there.value > here.value || !std::isfinite(there.value)) {
      damping *= 10;
      continue;
    }
    x += dx;
    y += dy;
    const double gain = here.value - there.value;
    here = there;
    damping = std::max(damping / 10, 1e-12);
    if (gain <= enough * (1 + here.value)) break;
  }
}

std::vector<BatchTime> in_order(std::vector<BatchTime> points) {
  std::sort(points.begin(), points.end(), [](const BatchTime& a, const BatchTime& b) {
    return std::pair(a.batch, a.time_s) < std::pair(b.batch, b.time_s);
  });
  return points;
}

/// Closed form: time known to `scatter`, fixed part expected; ln per sample = ln((time - fixed) / batch).
LineFit through_one_batch(const std::vector<BatchTime>& points, double expected_s) {
  double ln_time = 0;
  for (const auto& point : points) ln_time += std::log(point.time_s) / static_cast<double>(points.size());
  const double time_s = std::exp(ln_time);
  double squares = 0;
  for (const auto& point : points) squares += std::pow(std::log(point.time_s) - ln_time, 2);
  LineFit fit;
  fit.fixed_s = std::min(expected_s, largest_fixed_share * time_s);
  fit.per_sample_s = (time_s - fit.fixed_s) / points.front().batch;
  fit.relative_error = std::sqrt((residual_weight * affine_residual * affine_residual + squares) /
                                 (residual_weight + static_cast<double>(points.size()) - 1));
  fit.fixed_error = one_batch_prior_width;
  const double mean_error = fit.relative_error / std::sqrt(static_cast<double>(points.size()));
  const double by_time = time_s / (time_s - fit.fixed_s) * mean_error;
  const double by_fixed = fit.fixed_s / (time_s - fit.fixed_s) * fit.fixed_error;
  fit.per_sample_error = std::hypot(by_time, by_fixed);
  fit.correlation = fit.per_sample_error > 0 ? -by_fixed / fit.per_sample_error : 0;
  return fit;
}

/// Median over the points of the growing part when the fixed part is `fixed_s`: where the descent starts.
double start_per_sample(const std::vector<BatchTime>& points, double fixed_s) {
  std::vector<double> slopes;
  for (const auto& point : points)
    slopes.push_back(std::max(point.time_s - fixed_s, (1 - largest_fixed_share) * point.time_s) / point.batch);
  std::sort(slopes.begin(), slopes.end());
  return slopes[slopes.size() / 2];
}

} // namespace

ModelSize size_of(const Model& model) {
  return {static_cast<double>(model.layers.size()), model.size_bytes()};
}

double expected_fixed_s(const ModelSize& size, double memory_bandwidth_Bps) {
  constexpr double launch_s = 60e-6; // MXNet's published batch sweeps, K80 .. V100: intercepts of 26-70 ms
  constexpr double passes = 3;
  constexpr double touches = 5;
  constexpr double memory_efficiency = 0.5; // of the data sheet's bandwidth, as in the roofline
  const double optimizer_s =
      memory_bandwidth_Bps > 0 ? touches * size.size_bytes / (memory_efficiency * memory_bandwidth_Bps) : 0;
  return passes * launch_s * size.layers + optimizer_s;
}

LineFit fit_line(const std::vector<BatchTime>& unordered, double expected_s) {
  check(unordered);
  const auto points = in_order(unordered);
  if (points.front().batch == points.back().batch) return through_one_batch(points, expected_s);
  Problem problem{points, std::log(std::max(expected_s, one_launch_s)), weak_prior_width, affine_residual};
  double ln_fixed = problem.prior_mean;
  double ln_per_sample = std::log(start_per_sample(points, expected_s));
  descend(problem, ln_fixed, ln_per_sample);
  LineFit fit{std::exp(ln_fixed), std::exp(ln_per_sample)};
  constexpr double numbers = 2; // fitted to the points
  const double spare = std::max(0.0, static_cast<double>(points.size()) - numbers);
  fit.relative_error = std::sqrt(
      (residual_weight * affine_residual * affine_residual + problem.at(ln_fixed, ln_per_sample).weighted_squares) /
      (residual_weight + spare));
  problem.scatter = fit.relative_error;
  const auto slope = problem.at(ln_fixed, ln_per_sample);
  const double determinant = slope.curvature[0] * slope.curvature[2] - slope.curvature[1] * slope.curvature[1];
  fit.fixed_error = std::sqrt(slope.curvature[2] / determinant);
  fit.per_sample_error = std::sqrt(slope.curvature[0] / determinant);
  fit.correlation = -slope.curvature[1] / std::sqrt(slope.curvature[0] * slope.curvature[2]);
  return fit;
}

double leave_one_batch_out(const std::vector<BatchTime>& points, double expected_s) {
  std::set<double> batches;
  for (const auto& point : points) batches.insert(point.batch);
  constexpr std::size_t fewest_batches = 3;
  if (batches.size() < fewest_batches) return 0;
  double squares = 0;
  for (const double batch : batches) {
    std::vector<BatchTime> others;
    std::copy_if(points.begin(), points.end(), std::back_inserter(others),
                 [&](const BatchTime& point) { return point.batch != batch; });
    const auto fit = fit_line(others, expected_s);
    for (const auto& point : points)
      if (point.batch == batch) squares += std::pow(std::log(fit.time_s(batch) / point.time_s), 2);
  }
  return std::sqrt(squares / static_cast<double>(points.size()));
}

} // namespace ddlsim
