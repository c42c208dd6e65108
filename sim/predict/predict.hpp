#pragma once
// Scenario in, prediction out.

#include "sim/compute/other_clusters.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/record.hpp"
#include "sim/predict/measured.hpp"
#include "sim/predict/prediction.hpp"
#include "sim/predict/scaling_curve.hpp"
#include "sim/simgrid/executor.hpp"

#include <functional>
#include <string>
#include <vector>

namespace ddlsim {

struct PredictOptions {
  Fidelity fidelity = Fidelity::by_default; ///< of the curve itself; the samples behind an interval never run full
  std::function<void(const std::string&)> progress; ///< called with what is being done; may be empty
  const MeasuredTimes* measured = nullptr;          ///< where it is read already, for many scenarios
  /// Called with each answer and the curve behind it, which does not outlive the call; may be empty.
  std::function<void(const Curve&, const StrategyAnswer&)> answered{};
  int threads = 1;  ///< that share the work; no answer depends on it
  bool why = false; ///< each answer says what it rests on
};

/// Throws UserError when a name is unknown or the preset's transports are not the cluster's. A point that cannot be
/// (beyond growth, a strategy that cannot be simulated) is a row with its error.
Prediction predict(const Scenario& scenario, const DataFolder& data, const PredictOptions& options);

} // namespace ddlsim
