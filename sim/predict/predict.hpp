#pragma once
// Scenario in, prediction out.

#include "sim/formats/data_folder.hpp"
#include "sim/predict/prediction.hpp"
#include "sim/simgrid/engine.hpp"

#include <functional>

namespace ddlsim {

struct PredictOptions {
  Fidelity fidelity = Fidelity::automatic; ///< of the curve itself; the samples behind an interval never run full
  std::function<void(const std::string&)> progress; ///< called with what is being done; may be empty
};

/// Throws UserError when a name is unknown or the preset's transports are not the cluster's. A point that cannot be
/// (beyond growth, a strategy that cannot be simulated) is a row with its error.
Prediction predict(const Scenario& scenario, const DataFolder& data, const PredictOptions& options);

/// The transport of a scenario: its own, else the first of the preset's that the cluster has.
/// Throws UserError naming what the cluster has and what the preset can use.
Transport choose_transport(const Scenario& scenario, const Cluster& cluster, const Preset& preset);

} // namespace ddlsim
