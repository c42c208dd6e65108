#include "sim/formats/collective_curve.hpp"

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

/// Smaller sizes are treated as 1 byte, because the empty message has no logarithm.
constexpr double least_bytes = 1;

double log_size(double size_bytes) {
  return std::log(std::max(size_bytes, least_bytes));
}

/// Returns the first measured point above a size that lies inside the measured range.
std::vector<CollectivePoint>::const_iterator point_above(const CollectiveCurve& curve, double size_bytes) {
  const auto above = [](double size, const CollectivePoint& point) { return size < point.size_bytes; };
  return std::upper_bound(curve.points.begin(), curve.points.end(), std::max(size_bytes, least_bytes), above);
}

double table_at(const CollectiveCurve& curve, double size_bytes) {
  if (curve.points.empty()) return 0;
  const auto above = point_above(curve, size_bytes);
  if (above == curve.points.begin()) return above->residual;
  const auto below = above - 1;
  if (above == curve.points.end()) return below->residual;
  const double left = log_size(size_bytes) - log_size(below->size_bytes);
  const double gap = log_size(above->size_bytes) - log_size(below->size_bytes);
  return below->residual + (above->residual - below->residual) * left / gap;
}

double walk_variance(const CollectiveCurve& curve, double size_bytes) {
  const auto above = point_above(curve, size_bytes);
  if (above == curve.points.begin() || above == curve.points.end()) return 0;
  const double left = log_size(size_bytes) - log_size((above - 1)->size_bytes);
  const double right = log_size(above->size_bytes) - log_size(size_bytes);
  return curve.wander * curve.wander * left * right / (left + right);
}

std::array<double, 3> slopes_at(const CollectiveCurve& curve, double size_bytes) {
  return alpha_beta_sensitivities(curve.latency_s.value, curve.rate_Bps.value, curve.pipelining.value, size_bytes);
}

/// Variance of ln(fit) at a size due to the errors of the constants. Past `end` (if given), the variance of its change
/// since that point.
double alpha_beta_variance(const CollectiveCurve& curve, double size_bytes, const CollectivePoint* end) {
  auto slope = slopes_at(curve, size_bytes);
  if (end != nullptr) {
    const auto held = slopes_at(curve, end->size_bytes);
    for (std::size_t i = 0; i < slope.size(); ++i) slope[i] -= held[i];
  }
  const std::array<double, 3> moved{slope[0] * curve.latency_s.error, slope[1] * curve.rate_Bps.error,
                                    slope[2] * curve.pipelining.error};
  const double crossed = curve.correlation[0] * moved[0] * moved[1] + curve.correlation[1] * moved[0] * moved[2] +
                         curve.correlation[2] * moved[1] * moved[2];
  return std::max(0.0, moved[0] * moved[0] + moved[1] * moved[1] + moved[2] * moved[2] + 2 * crossed);
}

double beyond_variance(const CollectiveCurve& curve, double size_bytes) {
  if (curve.points.empty())
    return alpha_beta_variance(curve, size_bytes, nullptr) + curve.fit_spread * curve.fit_spread;
  const auto& end = size_bytes < curve.points.front().size_bytes ? curve.points.front() : curve.points.back();
  const double distance = std::abs(log_size(size_bytes) - log_size(end.size_bytes));
  return alpha_beta_variance(curve, size_bytes, &end) + curve.wander * curve.wander * distance;
}

/// Whether the size lies in the measured range, ends included; elsewhere the time is an extrapolation.
bool is_measured_range(const CollectiveCurve& curve, double size_bytes) {
  return !curve.points.empty() && size_bytes >= curve.points.front().size_bytes &&
         size_bytes <= curve.points.back().size_bytes;
}

} // namespace

double alpha_beta_s(const CollectiveCurve& curve, double size_bytes) {
  const double latency_s = curve.latency_s.value;
  const double transfer_s = size_bytes / curve.rate_Bps.value;
  return latency_s + transfer_s + 2 * curve.pipelining.value * std::sqrt(latency_s * transfer_s);
}

double collective_time_s(const CollectiveCurve& curve, double size_bytes) {
  return alpha_beta_s(curve, size_bytes) * std::exp(table_at(curve, size_bytes));
}

double collective_time_error(const CollectiveCurve& curve, double size_bytes) {
  const double noise = curve.noise * curve.noise;
  if (is_measured_range(curve, size_bytes)) return std::sqrt(noise + walk_variance(curve, size_bytes));
  return std::sqrt(noise + beyond_variance(curve, size_bytes));
}

std::array<double, 3> alpha_beta_sensitivities(double latency_s, double rate_Bps, double pipelining,
                                               double size_bytes) {
  const double transfer_s = size_bytes / rate_Bps;
  const double shared_s = pipelining * std::sqrt(latency_s * transfer_s);
  const double time_s = latency_s + transfer_s + 2 * shared_s;
  return {(latency_s + shared_s) / time_s, -(transfer_s + shared_s) / time_s, 2 * shared_s / time_s};
}

} // namespace ddlsim
