#include "sim/compute/batch_line_fit.hpp"

#include "sim/base/error.hpp"
#include "sim/base/robust_fit.hpp"
#include "sim/compute/unit_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace ddlsim {
namespace {

/// Width of the fixed part's prior where there are two batches or more, standard deviation of ln. The measurements
/// decide there; the expected value, which is off by up to e^0.5, only keeps ln fixed finite.
constexpr double weak_prior_width = 1.0;
constexpr double one_launch_s = 5e-6;       ///< the smallest fixed part of an iteration
constexpr double largest_fixed_share = 0.9; ///< keeps the part that grows with the batch above 0
/// The weight of the affine residual, in measurements, when the scatter of few points is estimated.
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

/// Returns the problem of fitting a line in ln fixed and ln per sample. `scatter` is the standard deviation of ln of
/// the measured times. The points must outlive the problem.
RobustProblem problem_of(const std::vector<BatchTime>& points, double expected_s, double scatter) {
  RobustProblem problem;
  problem.loss = Loss::soft_l1;
  constexpr double none = 1e9; // so wide a prior has no effect
  problem.priors = {{std::log(std::max(expected_s, one_launch_s)), weak_prior_width}, {0, none}};
  problem.residuals = [&points, scatter](const std::vector<double>& ln) {
    std::vector<double> residuals;
    for (const auto& point : points)
      residuals.push_back(std::log((std::exp(ln[0]) + std::exp(ln[1]) * point.batch) / point.time_s) / scatter);
    return residuals;
  };
  problem.slopes = [&points, scatter](const std::vector<double>& ln) {
    Matrix slopes(points.size(), ln.size());
    for (std::size_t row = 0; row < points.size(); ++row) {
      const double fixed_share = std::exp(ln[0]) / (std::exp(ln[0]) + std::exp(ln[1]) * points[row].batch);
      slopes(row, 0) = fixed_share / scatter;
      slopes(row, 1) = (1 - fixed_share) / scatter;
    }
    return slopes;
  };
  return problem;
}

/// Returns the sum of squares of the residuals of ln time, each by its weight in the fit.
double weighted_squares(const RobustProblem& problem, const RobustFit& fit, double scatter) {
  double sum = 0;
  for (const double residual : fit.residuals)
    sum += weight_of(problem.loss, residual) * residual * residual * scatter * scatter;
  return sum;
}

std::vector<BatchTime> in_order(std::vector<BatchTime> points) {
  std::sort(points.begin(), points.end(), [](const BatchTime& a, const BatchTime& b) {
    return std::pair(a.batch, a.time_s) < std::pair(b.batch, b.time_s);
  });
  return points;
}

/// Fits one batch in closed form, with the expected fixed part: ln per sample = ln((time - fixed) / batch).
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
  fit.fixed_error = ModelConstants{}.one_batch_width;
  const double mean_error = fit.relative_error / std::sqrt(static_cast<double>(points.size()));
  const double by_time = time_s / (time_s - fit.fixed_s) * mean_error;
  const double by_fixed = fit.fixed_s / (time_s - fit.fixed_s) * fit.fixed_error;
  fit.per_sample_error = std::hypot(by_time, by_fixed);
  fit.correlation = fit.per_sample_error > 0 ? -by_fixed / fit.per_sample_error : 0;
  return fit;
}

/// Returns the value at which the fit starts: the median over the points of the time per sample when the fixed part is
/// `fixed_s`.
double start_per_sample(const std::vector<BatchTime>& points, double fixed_s) {
  std::vector<double> slopes;
  for (const auto& point : points)
    slopes.push_back(std::max(point.time_s - fixed_s, (1 - largest_fixed_share) * point.time_s) / point.batch);
  std::sort(slopes.begin(), slopes.end());
  return slopes[slopes.size() / 2];
}

/// Fits the line through points that are sorted by batch.
LineFit through(const std::vector<BatchTime>& points, double expected_s) {
  if (points.front().batch == points.back().batch) return through_one_batch(points, expected_s);
  RobustFitOptions options;
  options.most_steps = 200;
  options.tolerance = 1e-14;
  options.largest_step = 2; // largest change of a logarithm in one step, so that the exponentials stay finite
  auto problem = problem_of(points, expected_s, affine_residual);
  const std::vector<double> start{problem.priors[0].mean, std::log(start_per_sample(points, expected_s))};
  auto fit = fit_robust(problem, start, options);
  LineFit line{std::exp(fit.unknowns[0]), std::exp(fit.unknowns[1])};
  constexpr double numbers = 2; // number of parameters that are fitted
  const double spare = std::max(0.0, static_cast<double>(points.size()) - numbers);
  line.relative_error = std::sqrt(
      (residual_weight * affine_residual * affine_residual + weighted_squares(problem, fit, affine_residual)) /
      (residual_weight + spare));
  problem = problem_of(points, expected_s, line.relative_error);
  fit.residuals = problem.residuals(fit.unknowns);
  fit.slopes = problem.slopes(fit.unknowns);
  const auto covariance = uncertainty_of(problem, fit).covariance;
  line.fixed_error = std::sqrt(covariance(0, 0));
  line.per_sample_error = std::sqrt(covariance(1, 1));
  line.correlation = covariance(0, 1) / (line.fixed_error * line.per_sample_error);
  return line;
}

double shortest_of(const std::vector<BatchTime>& points) {
  return std::min_element(points.begin(), points.end(),
                          [](const BatchTime& a, const BatchTime& b) { return a.time_s < b.time_s; })
      ->time_s;
}

/// Returns the times at which the host set the pace, shortest first.
std::vector<double> times_of_host(const std::vector<BatchTime>& points) {
  std::vector<double> times;
  for (const auto& point : points)
    if (point.host_paced) times.push_back(point.time_s);
  std::sort(times.begin(), times.end());
  return times;
}

/// Returns the number of columns of the block's first matrix: so many numbers represent a token.
double width_of_block(const Model& model, const std::string& block) {
  for (const auto& layer : model.layers)
    if (unit_name_of(layer.name) == block)
      for (const auto& tensor : layer.tensors)
        if (tensor.shape.size() == 2) return static_cast<double>(tensor.shape[1]);
  return 0;
}

} // namespace

ModelSize size_of(const Model& model) {
  ModelSize size{static_cast<double>(model.layers.size()), model.size_bytes(), kernel_work(model)};
  const auto attention = std::find_if(model.layers.begin(), model.layers.end(),
                                      [](const Layer& layer) { return layer.kind == "attention"; });
  size.attends = attention != model.layers.end();
  if (size.attends) size.width = width_of_block(model, unit_name_of(attention->name));
  return size;
}

double least_layer_s(const Gpu& gpu) {
  constexpr ModelConstants constants;
  const auto peak = gpu.peak_flop_per_s.find(ArithmeticUnit::fp32);
  if (peak == gpu.peak_flop_per_s.end() || gpu.memory_bandwidth_Bps <= 0) return constants.layer_launch_s;
  return std::min(constants.layer_launch_s,
                  constants.small_layer_work / std::sqrt(peak->second * gpu.memory_bandwidth_Bps));
}

FixedTime expected_fixed(const ModelSize& size, const Gpu& gpu) {
  constexpr double passes = 3;
  constexpr double touches = 5;
  constexpr double memory_efficiency = 0.5; // share of the data sheet's bandwidth that is reached, as in the roofline
  const double layer_passes = passes * size.layers;
  const double layers_s = layer_passes * least_layer_s(gpu);
  if (gpu.memory_bandwidth_Bps <= 0) return {layers_s, 0};
  const double update_s = touches * size.size_bytes / (memory_efficiency * gpu.memory_bandwidth_Bps);
  return {layers_s + update_s, layer_passes * ModelConstants{}.host_launch_s, update_s};
}

LineFit fit_line(const std::vector<BatchTime>& unordered, FixedTime expected) {
  check(unordered);
  auto points = in_order(unordered);
  const double shortest_s = shortest_of(points);
  if (std::none_of(points.begin(), points.end(), [](const BatchTime& point) { return point.optimizer; }))
    expected.gpu_s -= expected.update_s;
  const auto of_host = times_of_host(points);
  if (of_host.size() < points.size()) {
    std::erase_if(points, [](const BatchTime& point) { return point.host_paced; });
  } else {
    expected.gpu_s = largest_fixed_share * shortest_s;
  }
  auto line = through(points, expected.gpu_s);
  line.least_s = of_host.empty() ? std::min(expected.host_s, shortest_s) : of_host[of_host.size() / 2];
  return line;
}

double leave_one_batch_out(const std::vector<BatchTime>& points, FixedTime expected) {
  std::set<double> batches;
  for (const auto& point : points) batches.insert(point.batch);
  constexpr std::size_t fewest_batches = 3;
  if (batches.size() < fewest_batches) return 0;
  double squares = 0;
  for (const double batch : batches) {
    std::vector<BatchTime> others;
    std::copy_if(points.begin(), points.end(), std::back_inserter(others),
                 [&](const BatchTime& point) { return point.batch != batch; });
    const auto fit = fit_line(others, expected);
    for (const auto& point : points)
      if (point.batch == batch) squares += std::pow(std::log(fit.time_s(batch) / point.time_s), 2);
  }
  return std::sqrt(squares / static_cast<double>(points.size()));
}

} // namespace ddlsim
