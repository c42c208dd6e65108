#pragma once
// The strategies of a question at the GPUs that are at hand: which are equally fast there, and which one to show first.

#include "sim/predict/prediction.hpp"
#include "sim/predict/scaling_curve.hpp"

#include <cstddef>
#include <vector>

namespace ddlsim {

/// Returns the largest scale asked for that is possible and not larger than the GPUs that the cluster has; where there is
/// none, the smallest possible one; 0 when none is possible.
int gpus_at_hand(const std::vector<PredictedPoint>& points, int available_gpus);

/// The same of all strategies together.
int gpus_at_hand(const Prediction& prediction);

/// Returns the possible point at that scale; null when there is none.
const PredictedPoint* point_at(const StrategyAnswer& answer, int gpus);

/// Whether the memory of a single GPU holds the model and a batch, as the strategy keeps them.
bool fits_on_one_gpu(const Curve& curve);

/// Sets AtHand::chance_slower and AtHand::equally_fast of strategies whose scale at hand is that of the prediction.
/// `samples_s` has for each strategy the times of its samples at that scale; all strategies draw them from one seed, so
/// that sample i of two strategies belongs to the same cluster. A strategy that does not fit into memory is no match.
void compare_at_hand(const std::vector<std::vector<double>>& samples_s, Prediction& prediction);

/// Returns the strategy to show first: of those that are equally fast at hand, the one with the highest throughput at
/// the largest scale, the first of the scenario where none is clearly ahead. Null when no scale is possible.
const StrategyAnswer* recommended_answer(const Prediction& prediction);

} // namespace ddlsim
