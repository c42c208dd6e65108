#include "diagnose/discriminating_point.hpp"

#include "diagnose/likelihood.hpp"
#include "diagnose/sampled_times.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace ddlsim {
namespace {

/// least distance between the expected times of the two causes, in standard deviations
constexpr double least_deviations = 1;

std::vector<Observation> candidates(const Curve& curve, const std::vector<Observation>& observed) {
  constexpr double size_bytes = 16 << 20; // a size at which bandwidth dominates, and which every benchmark has
  std::set<int> scales{1, curve.gpus_per_full_node};
  for (const auto& one : observed) scales.insert(one.gpus);
  const bool has_all_reduces = !is_parameter_server(curve.setup.strategy.name);
  std::vector<Observation> points;
  for (const int gpus : scales) {
    points.push_back({Measured::step, gpus});
    if (has_all_reduces && gpus > 1) points.push_back({Measured::all_reduce, gpus, size_bytes});
  }
  std::erase_if(points, [&](const Observation& point) {
    return std::any_of(observed.begin(), observed.end(),
                       [&](const Observation& one) { return one.what == point.what && one.gpus == point.gpus; });
  });
  return points;
}

/// Standard deviation of a row around its mean, with the model error added.
double deviation_of(const Eigen::RowVectorXd& ln_times, double unexplained) {
  const double mean = ln_times.mean();
  const double variance = (ln_times.array() - mean).square().mean();
  return std::hypot(std::sqrt(variance), unexplained);
}

} // namespace

std::optional<DiscriminatingPoint> find_discriminating_point(const Curve& curve, const Cause& first,
                                                             const Cause& second,
                                                             const std::vector<Observation>& observed) {
  const auto points = candidates(curve, observed);
  if (points.empty()) return std::nullopt;
  const SampledTimes times(curve, points);
  const Eigen::MatrixXd of_first = times.faulty({first.row, {}, 1, first.curve}, first.severity);
  const Eigen::MatrixXd of_second = times.faulty({second.row, {}, 1, second.curve}, second.severity);
  const auto scatter = scatter_of(curve, points);
  double largest = least_deviations;
  std::optional<DiscriminatingPoint> measurement;
  for (Eigen::Index row = 0; row < of_first.rows(); ++row) {
    const double apart = of_first.row(row).mean() - of_second.row(row).mean();
    const double deviations = std::abs(apart) / deviation_of(of_first.row(row), scatter.factor.row(row).norm());
    if (deviations <= largest) continue;
    largest = deviations;
    const double mean = scatter.mean(row);
    measurement = {points[static_cast<std::size_t>(row)], first.row.name, second.row.name,
                   std::exp(of_first.row(row).mean() + mean), std::exp(of_second.row(row).mean() + mean)};
  }
  return measurement;
}

} // namespace ddlsim
