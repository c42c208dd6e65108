#include "diagnose/likelihood.hpp"

#include "sim/base/linear_algebra.hpp"
#include "sim/predict/collectives.hpp"
#include "sim/predict/interval.hpp"

#include <cmath>
#include <limits>

namespace ddlsim {
namespace {

/// Of the variance of an all-reduce's time about the model: common to all sizes of one scale. Judged, not learnt.
constexpr double common_share = 0.5;

Scale scale_of(const Curve& curve, int gpus) {
  return {gpus, (gpus + curve.gpus_per_full_node - 1) / curve.gpus_per_full_node};
}

/// Correlation of what no parameter explains.
double correlation_of(const Curve& curve, const Observation& a, const Observation& b) {
  if (a.what != b.what) return 0;
  const bool same = a.gpus == b.gpus && a.size_bytes == b.size_bytes;
  if (a.what == Observed::all_reduce) return same ? 1 : a.gpus == b.gpus ? common_share : 0;
  const auto& process = curve.learnt.residual_process;
  const auto own = scale_of(curve, a.gpus);
  const double variance = covariance(process, own, own);
  return variance > 0 ? covariance(process, own, scale_of(curve, b.gpus)) / variance : same;
}

/// Mean and standard deviation of ln about a sample, but for the noise of a measurement.
Unexplained unexplained_of(const Curve& curve, const Observation& one) {
  if (one.what == Observed::all_reduce) // their mean is in each sample's time
    return {0, sum_correction_of(curve, one.gpus, one.size_bytes).of.spread, curve.learnt.measurement_noise};
  auto unexplained = unexplained_at(curve, one.gpus);
  if (one.gpus == 1)
    unexplained.mean = unexplained.spread = 0; // one GPU alone has nothing to be off in but its own rate
  return unexplained;
}

} // namespace

Scatter scatter_of(const Curve& curve, const std::vector<Observation>& observations) {
  const auto count = static_cast<Eigen::Index>(observations.size());
  Scatter scatter{Eigen::VectorXd(count), Eigen::MatrixXd(count, count)};
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto& one = observations[static_cast<std::size_t>(i)];
    const auto unexplained = unexplained_of(curve, one);
    scatter.mean(i) = unexplained.mean;
    for (Eigen::Index j = 0; j < count; ++j) {
      const auto& other = observations[static_cast<std::size_t>(j)];
      scatter.factor(i, j) =
          unexplained.spread * unexplained_of(curve, other).spread * correlation_of(curve, one, other);
    }
    scatter.factor(i, i) += unexplained.noise * unexplained.noise;
  }
  scatter.factor = factor_of_covariance(scatter.factor);
  return scatter;
}

Eigen::VectorXd whitened(const Scatter& scatter, const Eigen::VectorXd& ln_times) {
  return solve_lower(scatter.factor, ln_times);
}

double ln_likelihood(const Eigen::MatrixXd& centres, const Eigen::VectorXd& observed, Eigen::Index left_out) {
  Eigen::RowVectorXd exponents = -0.5 * (centres.colwise() - observed).colwise().squaredNorm();
  if (left_out >= 0) exponents(left_out) = -std::numeric_limits<double>::infinity();
  const double largest = exponents.maxCoeff();
  const auto counted = static_cast<double>(exponents.size() - (left_out >= 0 ? 1 : 0));
  return largest + std::log((exponents.array() - largest).exp().sum() / counted);
}

} // namespace ddlsim
