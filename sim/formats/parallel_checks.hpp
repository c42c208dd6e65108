#pragma once
// Rules between the keys of a model-parallel strategy.

#include "sim/base/json.hpp"
#include "sim/formats/readers.hpp"
#include "sim/formats/strategy.hpp"

namespace ddlsim {

/// Value of ModelParallelOptions::shard_group in questions, beside zero_1: predict searches what replicas do with
/// gradients.
constexpr int searched_replicas = -2;

/// Lets predict search what a question for the best layout does not state.
void open_layout(const JsonNode& node, ModelParallelOptions& parallel);

/// Notes degrees that contradict each other, and keys without a meaning beside the others. As in Megatron-LM,
/// interleaving needs whole rounds of micro-batches. In a question the document checks that a pipeline has micro-batches,
/// because its "micro_batch" may give them.
void check_degrees(const JsonNode& node, const ModelParallelOptions& parallel, StrategyUse use);

} // namespace ddlsim
