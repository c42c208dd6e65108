#pragma once
// Times of the observed points in samples of the parameters: of a healthy cluster, and with a fault in it.

#include "diagnose/fault.hpp"
#include "diagnose/observation.hpp"
#include "sim/predict/scaling_curve.hpp"

#include <Eigen/Core>

#include <vector>

namespace ddlsim {

/// The arguments must outlive it.
class SampledTimes {
public:
  SampledTimes(const Curve& curve, const std::vector<Observation>& observations);

  /// ln of the times of all points, a row a point, a column a sample; without what no parameter explains.
  Eigen::MatrixXd healthy() const { return ln_times(nullptr, 1); }
  Eigen::MatrixXd ill(const FaultKind& kind, double severity) const { return ln_times(&kind, severity); }

private:
  Eigen::MatrixXd ln_times(const FaultKind* kind, double severity) const;

  const Curve& curve_;
  const std::vector<Observation>& observations_;
  std::size_t samples_ = 0;
};

} // namespace ddlsim
