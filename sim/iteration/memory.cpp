#include "sim/iteration/memory.hpp"

#include "sim/base/units.hpp"
#include "sim/compute/layer_times.hpp"
#include "sim/compute/piece_shape.hpp"
#include "sim/compute/unit_shape.hpp"
#include "sim/iteration/pipeline_graph.hpp"
#include "sim/iteration/pipeline_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace ddlsim {
namespace {

constexpr double least_kept_outputs = 0.5;
constexpr double fp32_bytes = 4;

/// Bytes of a number in a layer's output over those in the layer table. With fp8 linear layers keep their inputs in 8
/// bits (NVIDIA/TransformerEngine transformer_engine/pytorch/module/linear.py), which are most of the outputs kept.
double output_width(Precision precision) {
  if (precision == Precision::fp8) return 0.25;
  return has_16_bit_values(precision) ? 0.5 : 1.0;
}

/// Bytes for each parameter, by part of the state.
struct StateBytes {
  double parameter = 4;
  double gradient = 4;
  double optimizer = 8;
};

StateBytes state_bytes(Precision precision, StrategyName strategy) {
  if (!has_16_bit_values(precision) || strategy == StrategyName::fsdp) return {};
  return {2, 2, 12};
}

/// The state that the GPU keeps; with offload the host has the rest. Gradients leave the GPU as soon as they are
/// summed, except those of zero-1, which are whole until then. fsdp keeps parameters in the precision of compute,
/// because the host has them in fp32.
StateBytes state_on_gpu(Precision precision, const Strategy& strategy) {
  auto bytes = state_bytes(precision, strategy.name);
  if (strategy.sharded.offload == Offload::none) return bytes;
  bytes.optimizer = 0;
  if (strategy.name != StrategyName::zero_1) bytes.gradient = 0;
  if (strategy.name == StrategyName::fsdp) bytes.parameter = computed_bytes_per_parameter(precision);
  if (strategy.sharded.offload == Offload::optimizer_and_parameters) bytes.parameter = 0;
  return bytes;
}

/// Outputs of each unit, and inputs of the blocks, which are the outputs of the layers before them; in bytes of the
/// layer table for each sample.
struct UnitOutputs {
  std::map<std::string, double> of_unit;
  std::map<std::string, double> kept_of_unit; ///< outputs that are not recomputed
  double block_inputs = 0;
};

UnitOutputs outputs_of(const Model& model, Recompute recompute, Precision precision) {
  UnitOutputs outputs;
  const auto again = layers_computed_again(model, recompute, precision);
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const auto& layer = model.layers[l];
    const auto unit = unit_name_of(layer.name);
    outputs.of_unit[unit] += layer.activation_bytes_per_sample;
    if (!again[l]) outputs.kept_of_unit[unit] += layer.activation_bytes_per_sample;
    const bool begins = l > 0 && unit_name_of(model.layers[l - 1].name) != unit;
    if (begins && again[l]) outputs.block_inputs += model.layers[l - 1].activation_bytes_per_sample;
  }
  return outputs;
}

/// Outputs that are in memory at the same time, in bytes of the layer table for each sample.
double kept_outputs(const Model& model, Recompute recompute, Precision precision) {
  const auto outputs = outputs_of(model, recompute, precision);
  double kept = 0;
  double again = 0; // recomputed outputs of the unit that has most of them
  for (const auto& [unit, bytes] : outputs.of_unit) {
    const auto found = outputs.kept_of_unit.find(unit);
    const double kept_of_unit = found == outputs.kept_of_unit.end() ? 0 : found->second;
    kept += kept_of_unit;
    again = std::max(again, bytes - kept_of_unit);
  }
  const bool keeps_inputs = recompute == Recompute::full || recompute == Recompute::alternate_matmuls;
  const double inputs = keeps_inputs ? outputs.block_inputs : 0;
  return inputs + least_kept_outputs * (kept + again);
}

/// Number of parameters that every rank holds whole when it holds most: those of the root and of the largest other
/// unit.
double gathered_parameters(const Model& model) {
  std::map<std::string, double> of_unit;
  for (const auto& layer : model.layers)
    for (const auto& tensor : layer.tensors) of_unit[unit_name_of(layer.name)] += tensor.size_bytes / fp32_bytes;
  const auto root = of_unit.find("root");
  double largest = 0;
  for (const auto& [unit, parameters] : of_unit)
    if (unit != "root") largest = std::max(largest, parameters);
  return largest + (root == of_unit.end() ? 0 : root->second);
}

MemoryNeed least_sharded_memory(const Model& model, Precision precision, double batch, const Strategy& strategy,
                                int gpus, int gpus_per_node) {
  const auto bytes = state_on_gpu(precision, strategy);
  const double parameters = model.parameters;
  const int sharers = ranks_of_shard_group(strategy.sharded, gpus, gpus_per_node);
  const double part = 1.0 / sharers;
  const bool fsdp = strategy.name == StrategyName::fsdp;
  MemoryNeed need;
  need.parameters = bytes.parameter * parameters * (fsdp ? part : 1);
  need.gradients = bytes.gradient * parameters * (strategy.name == StrategyName::zero_1 ? 1 : part);
  need.optimizer = bytes.optimizer * parameters * part;
  const double micro_batch = batch / strategy.sharded.micro_batches;
  need.activations = kept_outputs(model, strategy.sharded.recompute, precision) * output_width(precision) * micro_batch;
  const bool comes_by_units = sharers > 1 || strategy.sharded.offload == Offload::optimizer_and_parameters;
  if (fsdp && comes_by_units) need.gathered = computed_bytes_per_parameter(precision) * gathered_parameters(model);
  return need;
}

/// Outputs that a piece keeps for its backward, in bytes of the layer table for each sample.
double kept_of_piece(const PieceShape& piece) {
  return piece.again.input_bytes + least_kept_outputs * (piece.output_bytes - piece.again.output_bytes);
}

/// The most outputs that a stage keeps, in bytes of the layer table for each sample: those of all micro-batches that
/// wait for their backward, and those of the block that is being recomputed.
double most_kept_of_stage(const std::vector<PieceShape>& pieces, const ModelParallelOptions& options, int stage) {
  double kept = 0;
  double most = 0;
  double again = 0;
  for (const auto& step : steps_of_stage(options, stage)) {
    const auto& piece = pieces[static_cast<std::size_t>(step.piece)];
    kept += step.forward ? kept_of_piece(piece) : -kept_of_piece(piece);
    most = std::max(most, kept);
    again = std::max(again, piece.again.largest_bytes);
  }
  return most + least_kept_outputs * again;
}

/// Keys and values of other ranks that a rank of a context group holds during attention, in bytes of the layer table
/// for each sample, for the stage's block that has most of them.
double gathered_keys(const std::vector<PieceShape>& pieces, const ModelParallelOptions& options, int stage) {
  double most = 0;
  for (auto piece = static_cast<std::size_t>(stage); piece < pieces.size();
       piece += static_cast<std::size_t>(options.pipeline))
    if (pieces[piece].attentive_blocks > 0)
      most = std::max(most, pieces[piece].key_bytes / pieces[piece].attentive_blocks);
  return most * (options.context - 1) / options.context / options.tensor;
}

/// Least memory for the state of a rank's own parameters, bytes.
MemoryNeed least_state(const ModelParallelOptions& options, Precision precision, double parameters, double replicas) {
  const double copy = fp32_bytes * parameters; // parameter, gradient, momentum
  if (options.data_parallel == DataParallel::all_reduce) return {copy, copy, copy, 0, 0};
  const auto bytes = state_bytes(precision, StrategyName::zero_1);
  return {bytes.parameter * parameters, bytes.gradient * parameters, bytes.optimizer * parameters / replicas, 0, 0};
}

MemoryNeed least_memory_of_stage(const std::vector<PieceShape>& pieces, const ModelParallelOptions& options,
                                 Precision precision, double batch, int stage, int gpus) {
  double parameters = 0;
  double of_experts = 0; // parameters of experts, which are divided among ranks
  for (auto piece = static_cast<std::size_t>(stage); piece < pieces.size();
       piece += static_cast<std::size_t>(options.pipeline)) {
    const double dealt = options.expert > 1 ? pieces[piece].expert_parameters : 0;
    parameters += (pieces[piece].parameters - dealt) / options.tensor;
    of_experts += dealt / options.expert / options.tensor;
  }
  const double kept = most_kept_of_stage(pieces, options, stage) * micro_batch_samples(options, batch) /
                      options.tensor / options.context;
  const double replicas = layout_of(options, gpus).sharers();
  auto need = least_state(options, precision, parameters, replicas);
  const auto experts = least_state(options, precision, of_experts, std::max(1.0, replicas / options.expert));
  need.parameters += experts.parameters;
  need.gradients += experts.gradients;
  need.optimizer += experts.optimizer;
  need.activations = output_width(precision) * kept;
  need.gathered = output_width(precision) * gathered_keys(pieces, options, stage) * micro_batch_samples(options, batch);
  return need;
}

constexpr int most_gpus = 10'000'000;

/// The fewest GPUs in whose memory the model fits; 0 if no number of GPUs is enough.
int fewest_gpus(const Model& model, const Gpu& gpu, Precision precision, double batch, const Strategy& strategy,
                int gpus_per_node) {
  const auto fits = [&](int gpus) {
    return least_memory(model, precision, batch, strategy, gpus, gpus_per_node).total() <= gpu.memory_bytes;
  };
  if (!is_sharded(strategy.name) || !fits(most_gpus)) return 0;
  int too_few = 1;
  int enough = most_gpus;
  while (enough > too_few + 1) {
    const int middle = too_few + (enough - too_few) / 2;
    (fits(middle) ? enough : too_few) = middle;
  }
  return enough;
}

std::string what_to_do(const Strategy& strategy, int fewest) {
  if (is_model_parallel(strategy.name))
    return fmt::format("give more stages, more micro_batches, {}a smaller batch_per_gpu or another GPU",
                       strategy.parallel.recompute == Recompute::full ? "" : "\"recompute\": \"full\", ");
  if (fewest > 0) return fmt::format("give {} GPUs or more, a smaller micro-batch or another GPU", fewest);
  if (!is_sharded(strategy.name)) return "give a smaller batch_per_gpu or another GPU";
  if (strategy.sharded.shard_group != ShardedOptions::all_ranks)
    return "no number of GPUs is enough; give a larger \"shard_group\", more micro_batches or another GPU";
  return strategy.sharded.recompute == Recompute::full
             ? "no number of GPUs is enough; give more micro_batches or another GPU"
             : "no number of GPUs is enough; give more micro_batches, \"recompute\": \"full\" or another GPU";
}

} // namespace

double least_memory_bytes(const Model& model, Precision precision, double batch) {
  return least_memory(model, precision, batch, {}, 1).total();
}

MemoryNeed least_memory(const Model& model, Precision precision, double batch, const Strategy& strategy, int gpus,
                        int gpus_per_node) {
  if (is_sharded(strategy.name)) return least_sharded_memory(model, precision, batch, strategy, gpus, gpus_per_node);
  double outputs = 0;
  for (const auto& layer : model.layers) outputs += layer.activation_bytes_per_sample;
  const double copy = model.size_bytes(); // parameter, gradient, momentum
  return {copy, copy, copy, least_kept_outputs * output_width(precision) * outputs * batch, 0};
}

MemoryNeed least_stage_memory(const std::vector<PieceShape>& pieces, Precision precision, double batch,
                              const ModelParallelOptions& options, int gpus) {
  MemoryNeed most;
  for (int stage = 0; stage < options.pipeline; ++stage) {
    const auto need = least_memory_of_stage(pieces, options, precision, batch, stage, gpus);
    if (need.total() > most.total()) most = need;
  }
  return most;
}

MemoryNeed least_stage_memory(const Model& model, const Gpu& gpu, Precision precision, double batch,
                              const Strategy& strategy, int gpus) {
  const auto& options = strategy.parallel;
  const int count = options.pipeline * options.virtual_stages;
  if (count > blocks_of(model)) return {};
  return least_stage_memory(piece_shapes(model, gpu, precision, batch, count, options.recompute), precision, batch,
                            options, gpus);
}

std::string memory_complaint(const Model& model, const Gpu& gpu, Precision precision, double batch,
                             const Strategy& strategy, int gpus, int gpus_per_node) {
  const bool in_stages = is_model_parallel(strategy.name);
  const double needed = in_stages ? least_stage_memory(model, gpu, precision, batch, strategy, gpus).total()
                                  : least_memory(model, precision, batch, strategy, gpus, gpus_per_node).total();
  if (gpu.memory_bytes <= 0 || needed <= gpu.memory_bytes) return "";
  const auto on_gpus = is_sharded(strategy.name) ? fmt::format(" by {} on {} GPUs", to_text(strategy.name), gpus)
                       : in_stages               ? fmt::format(" a GPU by {}", to_text(strategy))
                                                 : "";
  return fmt::format("{} samples of {}{} need at least {}, and one {} has {}; {}", batch, model.name, on_gpus,
                     print_quantity(needed, Dimension::size), gpu.name,
                     print_quantity(gpu.memory_bytes, Dimension::size),
                     what_to_do(strategy, fewest_gpus(model, gpu, precision, batch, strategy, gpus_per_node)));
}

} // namespace ddlsim
