#pragma once
// Predicts the iterations of a scenario.

#include "sim/compute/other_clusters.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/record.hpp"
#include "sim/predict/measured.hpp"
#include "sim/predict/prediction.hpp"
#include "sim/predict/scaling_curve.hpp"
#include "sim/simgrid/executor.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace ddlsim {

/// What a prediction is about to do.
struct PredictStage {
  std::string name;     ///< "ring at 64 GPUs"
  std::size_t done = 0; ///< stages that have ended
  std::size_t all = 0;
};

struct PredictOptions {
  /// fidelity of each point's number; the interval's samples never run in full
  Fidelity fidelity = Fidelity::by_default;
  std::function<void(const PredictStage&)> progress; ///< called before each stage; may be empty
  const MeasuredTimes* measured = nullptr;           ///< set by callers with many scenarios, who read it once
  /// Called with each answer and the curve behind it, which does not outlive the call; may be empty.
  std::function<void(const Curve&, const StrategyAnswer&)> answered{};
  int threads = 1;  ///< number of threads that share the work; no answer depends on it
  bool why = false; ///< whether each answer explains what it rests on
};

/// Predicts a scenario. Throws UserError when a name is unknown or the cluster has none of the preset's transports. An
/// impossible point (beyond the cluster's growth, or of a strategy that cannot be simulated) becomes a row with an
/// error.
Prediction predict(const Scenario& scenario, const DataFolder& data, const PredictOptions& options);

} // namespace ddlsim
