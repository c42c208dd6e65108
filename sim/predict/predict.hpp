#pragma once
// Scenario in, prediction out.

#include "sim/compute/other_clusters.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/record.hpp"
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

// What was measured at the points of an answer: shown beside the prediction, and never read by it.

/// Where a measured time lies.
enum class Held { inside, faster, slower };

/// Of a 90 % interval.
Held held_by(const IterationTime& interval, double time_s);
std::string to_text(Held held); ///< inside, faster, slower

/// Of the point's.
Held held_by(const PredictedPoint& point, const MeasuredHere& measured);

/// Puts beside every point what records of the same question say: model, batch, precision, stack, strategy, transport,
/// number of GPUs and how they stand on nodes; the scenario's series, software and GPU where it names them. A record
/// that leaves its transport or algorithm open fits any. Where some are doubted, the others count; synthetic data go
/// before real ones, or after them where the scenario reads some.
void add_measured(std::vector<PredictedPoint>& points, const Scenario& scenario, const Curve& curve,
                  const std::vector<StepRecord>& records);

} // namespace ddlsim
