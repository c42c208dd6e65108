#pragma once
// Measurements at the points of an answer. They are shown beside the prediction, which does not use them.

#include "sim/formats/record.hpp"
#include "sim/predict/prediction.hpp"
#include "sim/predict/scaling_curve.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Where a measured time is relative to a 90 % interval.
enum class PositionInInterval { inside, faster, slower };

PositionInInterval position_in(const IterationTime& interval, double time_s);
std::string to_text(PositionInInterval held); ///< returns "inside", "faster" or "slower"

/// Returns where the measured time is relative to the interval of the point.
PositionInInterval position_in(const PredictedPoint& point, const MeasuredHere& measured);

/// Adds to each point the records that match its question: model, batch, precision, stack, strategy, transport, number
/// of GPUs and their distribution over nodes, and the scenario's series, software and GPU where it names them. A record
/// that leaves its transport or algorithm open matches any. Suspect records count only if there are no others.
/// Synthetic data are preferred to real ones, unless the scenario reads real data.
void add_measured(std::vector<PredictedPoint>& points, const Scenario& scenario, const Curve& curve,
                  const std::vector<StepRecord>& records);

} // namespace ddlsim
