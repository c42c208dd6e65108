#pragma once
// Times of the observed points for each sample of the parameters: on a healthy cluster, and with a fault in it.

#include "diagnose/fault.hpp"
#include "diagnose/observation.hpp"

#include <Eigen/Core>

#include <vector>

namespace ddlsim {

/// Computes these times. The arguments must outlive it.
class SampledTimes {
public:
  SampledTimes(const Curve& curve, const std::vector<Observation>& observations);

  /// ln of the times of all points in seconds: a row for each point, a column for each sample. The error of the model
  /// is not in them.
  Eigen::MatrixXd healthy() const { return ln_times(curve_, nullptr, 1); }
  /// The same times on a cluster with this fault.
  Eigen::MatrixXd faulty(const FaultKind& kind, double severity) const {
    return ln_times(kind.curve != nullptr ? *kind.curve : curve_, &kind.row, severity);
  }

private:
  Eigen::MatrixXd ln_times(const Curve& curve, const FaultRow* row, double severity) const;

  const Curve& curve_;
  const std::vector<Observation>& observations_;
  std::size_t samples_ = 0;
};

} // namespace ddlsim
