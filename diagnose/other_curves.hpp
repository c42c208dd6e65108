#pragma once
// The scenario's cluster with another transport, or with other links inside its nodes. Such a fault is simulated as a
// cluster of its own, with its own parameters.

#include "diagnose/fault.hpp"
#include "sim/predict/known_files.hpp"

#include <memory>

namespace ddlsim {

/// Holds the files that its curves refer to.
class OtherClusters {
public:
  /// `curve` is that of the scenario's first strategy, `measured` as KnownFiles takes it. Throws UserError as
  /// make_curve() does.
  OtherClusters(const Scenario& scenario, const Curve& curve, const DataFolder& data,
                const MeasuredTimes* measured = nullptr);

  const OtherCurves& curves() const { return curves_; }

private:
  std::shared_ptr<const Curve> with(const Scenario& scenario, const Cluster& cluster, const std::string& transport);

  const DataFolder data_;
  const MeasuredTimes* measured_;
  std::vector<std::unique_ptr<const KnownFiles>> files_;
  OtherCurves curves_;
};

} // namespace ddlsim
