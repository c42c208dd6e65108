#pragma once
// The charts of a prediction: the same lines over GPUs, as efficiency, as throughput and as time.

#include "sim/predict/prediction.hpp"
#include "viewer/chart.hpp"

#include <vector>

namespace ddlsim {

/// Returns a chart for each figure, the one of the verdict first, with the recommended answer's line as the first.
std::vector<Chart> prediction_charts(const Prediction& prediction, const StrategyAnswer& recommended);

} // namespace ddlsim
