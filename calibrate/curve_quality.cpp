#include "calibrate/curve_quality.hpp"

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

/// The smallest jump worth a word: the worst error asked of a calibrated fabric.
const double least_jump = std::log(1.15);
/// In the published NCCL tables a size left out of a table with every power of two is missed by 3-5 %: 0.08 to the
/// square root of an e-fold. It counts as two points, so that few points do not claim to know better.
constexpr double wander_before = 0.08;
constexpr double points_before = 2;

double gap(const CollectiveCurve& curve, std::size_t i) {
  return std::log(curve.points[i + 1].size_bytes / curve.points[i].size_bytes);
}

double usual_step(const CollectiveCurve& curve) {
  std::vector<double> steps;
  for (std::size_t i = 0; i + 1 < curve.points.size(); ++i)
    steps.push_back(std::abs(curve.points[i + 1].residual - curve.points[i].residual));
  if (steps.empty()) return 0;
  std::sort(steps.begin(), steps.end());
  constexpr double normal_from_median = 1.4826;
  return normal_from_median * steps[steps.size() / 2];
}

} // namespace

std::vector<CurveJump> find_jumps(const CollectiveCurve& curve) {
  std::vector<CurveJump> jumps;
  const double least = std::max(least_jump, std::min(4 * usual_step(curve), 2 * least_jump));
  for (std::size_t i = 0; i + 1 < curve.points.size(); ++i) {
    const auto& from = curve.points[i];
    const auto& to = curve.points[i + 1];
    const double step = to.residual - from.residual;
    if (std::abs(step) > least) jumps.push_back({from.size_bytes, to.size_bytes, std::exp(step)});
  }
  return jumps;
}

void put_left_out_errors(const std::vector<double>& errors, CollectiveCurve& curve) {
  double squares = points_before * wander_before * wander_before;
  double points = points_before;
  double sum = 0;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const double error = std::abs(errors[i]);
    sum += error;
    curve.worst_left_out_error = std::max(curve.worst_left_out_error, error);
    if (i == 0 || i + 1 == errors.size()) continue; // beyond the others: the law's error, not the table's
    const double left = gap(curve, i - 1);
    const double right = gap(curve, i);
    squares += error * error * (left + right) / (left * right);
    points += 1;
  }
  curve.wander = std::sqrt(squares / points);
  curve.left_out_points = static_cast<int>(errors.size());
  curve.mean_left_out_error = errors.empty() ? 0 : sum / static_cast<double>(errors.size());
}

} // namespace ddlsim
