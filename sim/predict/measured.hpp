#pragma once
// What was measured at the points of an answer: shown beside the prediction, and never read by it.

#include "sim/formats/record.hpp"
#include "sim/predict/prediction.hpp"
#include "sim/predict/scaling_curve.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Where a measured time lies.
enum class Held { inside, faster, slower };

/// Of a 90 % interval.
Held held_by(const IterationTime& interval, double time_s);
std::string to_text(Held held); ///< inside, faster, slower

/// Of the point's.
Held held_by(const PredictedPoint& point, const MeasuredHere& measured);

/// Puts beside every point what records of the same question say: model, batch, precision, stack, strategy, transport, number
/// of GPUs and how they stand on nodes; the scenario's series, software and GPU where it names them. A record that leaves
/// its transport or algorithm open fits any. Where some are doubted, the others count; synthetic data go before real ones,
/// or after them where the scenario reads some.
void add_measured(std::vector<PredictedPoint>& points, const Scenario& scenario, const Curve& curve,
                  const std::vector<StepRecord>& records);

} // namespace ddlsim
