#pragma once
// What was measured at the points of an answer. It is shown beside the prediction; the prediction does not use it.

#include "sim/formats/record.hpp"
#include "sim/predict/prediction.hpp"
#include "sim/predict/scaling_curve.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Where a measured time lies relative to a 90 % interval.
enum class PositionInInterval { inside, faster, slower };

PositionInInterval position_in(const IterationTime& interval, double time_s);
std::string to_text(PositionInInterval held); ///< inside, faster, slower

/// Relative to the interval of the point.
PositionInInterval position_in(const PredictedPoint& point, const MeasuredHere& measured);

/// Puts beside every point what records of the same question say: model, batch, precision, stack, strategy, transport,
/// number of GPUs and how they stand on nodes; the scenario's series, software and GPU where it names them. A record
/// that leaves its transport or algorithm open fits any. Where some are suspect, only the others count; synthetic data
/// go before real ones, or after them where the scenario reads some.
void add_measured(std::vector<PredictedPoint>& points, const Scenario& scenario, const Curve& curve,
                  const std::vector<StepRecord>& records);

} // namespace ddlsim
