#include "sim/iteration/peak_memory.hpp"

#include "sim/compute/layer_times.hpp"
#include "sim/compute/unit_shape.hpp"
#include "sim/iteration/pipeline_graph.hpp"
#include "sim/iteration/pipeline_layout.hpp"
#include "sim/iteration/pipeline_setup.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace ddlsim {
namespace {

constexpr double table_bytes_of_number = 4; ///< layer tables count in fp32

/// Bytes of a number of an activation over those in the layer table.
double width_of_outputs(Precision precision) {
  return has_16_bit_values(precision) ? 0.5 : 1.0;
}

/// Memory that changes while an iteration runs, in bytes of a sample.
struct MovingMemory {
  double activations = 0;
  double working = 0;
  double logits = 0;

  double total() const { return activations + working + logits; }
};

/// Adds what `samples` have.
void add_moving(MemoryParts& parts, const MovingMemory& moving, double samples) {
  parts.activations = moving.activations * samples;
  parts.working += moving.working * samples;
  parts.logits = moving.logits * samples;
  parts.reserve = library_bytes + allocator_bytes;
}

MovingMemory moving_at(const LayerMemory& peak, double others) {
  return {others + peak.kept, peak.working, peak.loss};
}

/// The pieces of one stage, and what their layers keep.
struct StageOfPieces {
  int first = 0; ///< number of its first piece
  int stages = 1;
  std::vector<KeptOfLayers> kept;

  const KeptOfLayers& of_piece(int piece) const { return kept[static_cast<std::size_t>((piece - first) / stages)]; }
};

/// The same pipeline with as few micro-batches as show its most: after three rounds every one repeats the one before.
ModelParallelOptions until_steady(ModelParallelOptions options) {
  if (options.schedule != PipelineSchedule::gpipe)
    options.micro_batches = std::min(options.micro_batches, 3 * options.pipeline);
  return options;
}

/// The moment of the schedule at which the stage has most, in bytes of a sample of a micro-batch.
MovingMemory most_of_schedule(const StageOfPieces& stage, const ModelParallelOptions& options) {
  MovingMemory most;
  double kept = 0;
  for (const auto& step : steps_of_stage(until_steady(options), stage.first)) {
    const auto& piece = stage.of_piece(step.piece);
    if (step.forward) {
      kept += piece.kept;
      continue;
    }
    // Gradients of weights need the inputs of products, so that a piece's outputs are kept until then.
    const auto here = moving_at(piece.peak, kept - piece.kept);
    if (step.backward != BackwardPart::inputs) kept -= piece.kept;
    if (step.backward == BackwardPart::weights) continue;
    if (here.total() > most.total()) most = here;
  }
  return most;
}

/// Keys and values of other ranks that a rank of a context group holds during attention, in bytes of the layer table
/// for each sample. They are those of the stage's block that has most of them.
double keys_of_others(const PieceShape& piece, const ModelParallelOptions& options) {
  if (piece.attentive_blocks == 0) return 0;
  constexpr int in_flight = 2; // of a ring: one that attention reads and one that arrives
  int others = options.context - 1;
  if (options.context_kind == ContextKind::ring) others = std::min(others, in_flight);
  if (options.context_kind == ContextKind::all_to_all) others = 0; // all tokens of as many fewer heads
  return piece.key_bytes / piece.attentive_blocks * others / options.context / options.tensor;
}

/// A sequence that a tensor group gathers before a matrix product: the parts of the other ranks.
double sequence_of_others(const PieceShape& piece, const ModelParallelOptions& options) {
  if (piece.attentive_blocks == 0) return 0;
  return piece.inner_bytes / piece.attentive_blocks * (options.tensor - 1) / options.tensor / options.context;
}

/// Parameters of the embedding tables in a piece; backward writes their gradient whole, in the type of compute, before
/// it is added to that of other micro-batches.
double embedding_parameters(const Model& model, const PieceShape& piece) {
  double parameters = 0;
  for (std::size_t l = piece.first_layer; l < piece.end_layer; ++l)
    if (model.layers[l].kind == "embedding")
      for (const auto& tensor : model.layers[l].tensors) parameters += tensor.size_bytes / table_bytes_of_number;
  return parameters;
}

/// Parameters of the word embeddings that the last stage has a copy of, because its head has no matrix of its own
/// (Megatron-LM, megatron/core/models/common/language_module/language_module.py).
double copied_embedding(const Model& model, const ModelParallelOptions& options) {
  if (options.pipeline == 1) return 0;
  double largest = 0;
  bool has_own = true;
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const auto& layer = model.layers[l];
    const bool makes_logits =
        layer.kind == "linear" && l + 1 < model.layers.size() && model.layers[l + 1].kind == "loss";
    if (makes_logits) has_own = !layer.tensors.empty() || !layer.frozen.empty();
    if (layer.kind != "embedding") continue;
    for (const auto& tensor : layer.tensors) largest = std::max(largest, tensor.size_bytes / table_bytes_of_number);
  }
  return has_own ? 0 : largest;
}

/// The pieces of a stage.
std::vector<const PieceShape*> pieces_of(const std::vector<PieceShape>& pieces, int stage, int stages) {
  std::vector<const PieceShape*> own;
  for (auto piece = static_cast<std::size_t>(stage); piece < pieces.size(); piece += static_cast<std::size_t>(stages))
    own.push_back(&pieces[piece]);
  return own;
}

/// Parameters of a piece that are not trained, as a rank of an expert group has them.
double frozen_of_piece(const Model& model, const PieceShape& piece, int expert) {
  if (!(piece.frozen_parameters > 0)) return 0;
  double of_experts = 0;
  for (std::size_t l = piece.first_layer; l < piece.end_layer; ++l)
    if (is_of_expert(model.layers[l]))
      for (const auto& tensor : model.layers[l].frozen) of_experts += tensor.size_bytes / table_bytes_of_number;
  return piece.frozen_parameters - of_experts + of_experts / expert;
}

StageParameters parameters_of(const StepSetup& setup, const std::vector<const PieceShape*>& own, bool is_last) {
  const auto& options = setup.strategy.parallel;
  StageParameters parameters;
  for (const auto* piece : own) {
    const double dealt = options.expert > 1 ? piece->expert_parameters : 0;
    parameters.dense += (piece->parameters - dealt) / options.tensor;
    parameters.of_experts += dealt / options.expert / options.ranks_of_expert();
    parameters.frozen += frozen_of_piece(setup.model, *piece, options.expert) / options.tensor;
  }
  if (is_last) parameters.dense += copied_embedding(setup.model, options) / options.tensor;
  return parameters;
}

double gathered_of_stage(const StepSetup& setup, const std::vector<const PieceShape*>& own, double samples) {
  double most = 0;
  for (const auto* piece : own)
    most = std::max(
        {most, keys_of_others(*piece, setup.strategy.parallel), sequence_of_others(*piece, setup.strategy.parallel)});
  return most * width_of_outputs(setup.precision) * samples;
}

/// Parameters of a stage outside of blocks, of its largest block, and of all its layers.
struct StageUnits {
  double root = 0;
  double largest = 0;
  double all = 0;
};

StageUnits units_of_stage(const Model& model, const std::vector<const PieceShape*>& own) {
  StageUnits units;
  std::map<std::string, double> of_unit;
  for (const auto* piece : own)
    for (std::size_t l = piece->first_layer; l < piece->end_layer; ++l)
      for (const auto& tensor : model.layers[l].tensors)
        of_unit[unit_name_of(model.layers[l].name)] += tensor.size_bytes / table_bytes_of_number;
  for (const auto& [unit, parameters] : of_unit) {
    units.all += parameters;
    if (unit == "root")
      units.root = parameters;
    else
      units.largest = std::max(units.largest, parameters);
  }
  return units;
}

/// What a stage's rank has of other ranks' state with fsdp. A pipeline adds up whole gradients of all its layers.
double gathered_of_shards(const StepSetup& setup, const std::vector<const PieceShape*>& own) {
  const auto& options = setup.strategy.parallel;
  if (!shards_parameters(setup.strategy) || sharers_of_state(setup) == 1) return 0;
  constexpr double in_flight = 2; // as ShardedOptions::gathers_in_flight
  const double bytes = computed_bytes_per_parameter(setup.precision);
  const auto [root, largest, all] = units_of_stage(setup.model, own);
  const double gathered = frees_after_forward(options) ? std::min(all, root + in_flight * largest) : all;
  const double summed = options.pipeline > 1 && options.micro_batches > 1 ? all : largest;
  return (bytes * (gathered + largest) + setup.wire_bytes_per_parameter * summed) / options.tensor;
}

MemoryParts memory_of_stage(const StepSetup& setup, const std::vector<PieceShape>& pieces,
                            const std::vector<LayerMemory>& layers, int stage) {
  const auto& options = setup.strategy.parallel;
  const auto own = pieces_of(pieces, stage, options.pipeline);
  StageOfPieces kept{stage, options.pipeline, {}};
  for (const auto* piece : own) kept.kept.push_back(kept_of_layers(layers, piece->first_layer, piece->end_layer));
  auto parts = state_of_stage(setup, parameters_of(setup, own, stage + 1 == options.pipeline));
  const double samples = micro_batch_samples(options, setup.batch_per_gpu);
  parts.gathered = gathered_of_stage(setup, own, samples) + gathered_of_shards(setup, own);
  const double of_rank = samples / options.tensor / options.context;
  auto most = most_of_schedule(kept, options);
  const double embedding_bytes = stage > 0 ? 0
                                           : computed_bytes_per_parameter(setup.precision) *
                                                 embedding_parameters(setup.model, *own.front()) / options.tensor;
  const MovingMemory at_embedding{most.activations - kept.kept.front().kept, embedding_bytes / of_rank, 0};
  if (of_rank > 0 && at_embedding.total() > most.total()) most = at_embedding;
  add_moving(parts, most, of_rank);
  return parts;
}

MemoryParts memory_of_whole(const StepSetup& setup) {
  auto parts = state_of_model(setup);
  parts.gathered = gathered_of_model(setup);
  const auto layers = layer_memory(setup.model, kept_facts(setup));
  const int micro_batches = micro_batches_of(setup.strategy);
  add_moving(parts, moving_at(kept_of_layers(layers, 0, layers.size()).peak, 0), setup.batch_per_gpu / micro_batches);
  return parts;
}

} // namespace

namespace {

/// The stated imbalance of experts, or the likeliest.
double imbalance_of(const ModelParallelOptions& options) {
  return options.expert_imbalance > 0 ? options.expert_imbalance : 1 + Parameters{}.expert_skew;
}

} // namespace

KeptFacts kept_facts(const StepSetup& setup) {
  KeptFacts facts;
  facts.precision = setup.precision;
  facts.recompute = recompute_of(setup.strategy);
  facts.cross_entropy = setup.cross_entropy.value_or(setup.preset.cross_entropy);
  facts.fused_activation = setup.preset.fused_activation;
  if (deals_experts(setup.strategy)) facts.expert_imbalance = imbalance_of(setup.strategy.parallel);
  return facts;
}

MemoryParts peak_memory(const StepSetup& setup) {
  if (!is_model_parallel(setup.strategy.name)) return memory_of_whole(setup);
  const auto pieces = pieces_of_layout(setup);
  if (pieces.empty()) return {};
  return peak_stage_memory(setup, pieces, layer_memory(setup.model, kept_facts(setup)));
}

MemoryParts peak_stage_memory(const StepSetup& setup, const std::vector<PieceShape>& pieces,
                              const std::vector<LayerMemory>& layers) {
  MemoryParts most;
  for (int stage = 0; stage < setup.strategy.parallel.pipeline; ++stage) {
    const auto parts = memory_of_stage(setup, pieces, layers, stage);
    if (parts.total() > most.total()) most = parts;
  }
  return most;
}

} // namespace ddlsim
