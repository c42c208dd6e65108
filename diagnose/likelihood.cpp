#include "diagnose/likelihood.hpp"

#include "sim/base/linear_algebra.hpp"
#include "sim/predict/interval.hpp"
#include "sim/predict/measured_all_reduces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ddlsim {
namespace {

Scale scale_of(const Curve& curve, const Observation& one) {
  Scale scale{one.gpus, (one.gpus + curve.gpus_per_full_node - 1) / curve.gpus_per_full_node};
  scale.size_bytes = one.size_bytes;
  return scale;
}

double correlation_in(const ResidualProcess& process, const Scale& a, const Scale& b) {
  const double variance = covariance(process, a, a);
  return variance > 0 ? covariance(process, a, b) / variance : 0;
}

/// Correlation of the model errors at two points.
double correlation_of(const Curve& curve, const Observation& a, const Observation& b) {
  if (a.what != b.what) return 0;
  if (a.gpus == b.gpus && a.size_bytes == b.size_bytes) return 1;
  const auto process =
      is_collective(a) ? all_reduce_process(ModelConstants{}, library_rules_of(at_scale(curve, a.gpus), curve.median))
                       : curve.calibration.residual_process;
  return correlation_in(process, scale_of(curve, a), scale_of(curve, b));
}

/// Returns the error of the model for an observation: mean and standard deviation of ln(time / simulated time), without
/// measurement noise.
ModelError model_error_of(const Curve& curve, const Observation& one) {
  if (is_collective(one)) // each sample's time includes the mean of the error already
    return {0, correction_of(curve, one).of.spread, curve.calibration.measurement_noise};
  auto unexplained = model_error_at(curve, one.gpus);
  // the only error of a single GPU is that of its own rate
  if (one.gpus == 1) unexplained.mean = unexplained.spread = 0;
  return unexplained;
}

} // namespace

Scatter scatter_of(const Curve& curve, const std::vector<Observation>& observations) {
  const auto count = static_cast<Eigen::Index>(observations.size());
  std::vector<ModelError> unexplained;
  for (const auto& one : observations) unexplained.push_back(model_error_of(curve, one));
  Scatter scatter{Eigen::VectorXd(count), Eigen::MatrixXd(count, count)};
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto& own = unexplained[static_cast<std::size_t>(i)];
    scatter.mean(i) = own.mean;
    const auto& one = observations[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < count; ++j) {
      const auto& other = observations[static_cast<std::size_t>(j)];
      scatter.factor(i, j) =
          common_spread(curve, one) * common_spread(curve, other) +
          own.spread * unexplained[static_cast<std::size_t>(j)].spread * correlation_of(curve, one, other);
    }
    scatter.factor(i, i) += own.noise * own.noise;
  }
  scatter.factor = factor_of_covariance(scatter.factor);
  return scatter;
}

Scatter scatter_of_atypical(const Scatter& scatter, const AtypicalLogs& atypical) {
  Eigen::MatrixXd covariance = scatter.factor * scatter.factor.transpose();
  covariance.array() += atypical.common * atypical.common;
  covariance.diagonal().array() += atypical.own * atypical.own;
  return {scatter.mean, factor_of_covariance(covariance)};
}

Scatter widened(const Scatter& scatter, double spread) {
  Eigen::MatrixXd covariance = scatter.factor * scatter.factor.transpose();
  covariance.diagonal().array() += spread * spread;
  return {scatter.mean, factor_of_covariance(covariance)};
}

Eigen::VectorXd whitened(const Scatter& scatter, const Eigen::VectorXd& ln_times) {
  return solve_lower(scatter.factor, ln_times);
}

double ln_likelihood(const Eigen::MatrixXd& centres, const Eigen::VectorXd& observed, Eigen::Index left_out) {
  constexpr Eigen::Index chunk = 16; // number of factors whose product does not overflow a double
  constexpr double unit = freedom_of_deviations * scale_of_deviations * scale_of_deviations;
  Eigen::RowVectorXd exponents = Eigen::RowVectorXd::Zero(centres.cols());
  for (Eigen::Index row = 0; row < centres.rows(); row += chunk) {
    const auto rows = std::min(chunk, centres.rows() - row);
    const Eigen::ArrayXXd off = (centres.middleRows(row, rows).colwise() - observed.segment(row, rows)).array();
    exponents += (1 + off.square() / unit).colwise().prod().log().matrix();
  }
  exponents *= -(freedom_of_deviations + 1) / 2;
  if (left_out >= 0) exponents(left_out) = -std::numeric_limits<double>::infinity();
  const double largest = exponents.maxCoeff();
  const auto counted = static_cast<double>(exponents.size() - (left_out >= 0 ? 1 : 0));
  return largest + std::log((exponents.array() - largest).exp().sum() / counted);
}

} // namespace ddlsim
