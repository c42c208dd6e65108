#pragma once
// Does a model with its batch fit into a GPU?

#include "sim/compute/piece_shape.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/names.hpp"
#include "sim/formats/strategy.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// What training needs of one GPU at least, bytes.
struct MemoryNeed {
  double parameters = 0;
  double gradients = 0;
  double optimizer = 0;
  double activations = 0; ///< of one micro-batch
  double gathered = 0; ///< units whose parameters are here whole, and gradients of one of them; others' keys and values

  double total() const { return parameters + gradients + optimizer + activations + gathered; }
};

/// Lower bound of the bytes that training needs: parameters, gradients and momentum in fp32, and half of all layer
/// outputs (the rest is recomputed, fused or overwritten in place; 16-bit outputs under amp, fp16 and bf16). The
/// tightest published run that fits (ResNet-50 under XLA and amp, batch 320, 16 GB) leaves room for 0.65 of its
/// outputs.
double least_memory_bytes(const Model& model, Precision precision, double batch);

/// The same on each of `gpus`, by strategy. Where state is sharded it is Adam's, 16 bytes a parameter (Rajbhandari et
/// al., ZeRO, SC 2020, section 3.1; FSDP keeps fp32 parameters, gradients and two moments, as many bytes), of which a
/// rank has
///   zero-1  its part of the optimizer's
///   zero-2  of the gradients, too
///   fsdp    of all, and whole what is gathered: the root and one more unit, in what is computed with; of a shard_group's
///           ranks, where those are fewer
/// With offload a rank has no optimizer state, of gradients only those of zero-1, whole, and of fsdp its part of the
/// parameters in what is computed with, or none. What leaves in passing is not counted.
/// Half precision: parameters and gradients 2 bytes each, the optimizer 12 with fp32 parameters; else 4, 4 and 8.
/// Activations are those of a micro-batch: half of the outputs, as above; where blocks are computed again whole, the
/// input of each and half of one block's outputs. Other strategies need least_memory_bytes(), all of it counted as
/// parameters, gradients, optimizer and activations.
MemoryNeed least_memory(const Model& model, Precision precision, double batch, const Strategy& strategy, int gpus,
                        int gpus_per_node = 1);

/// The same for the fullest stage of a pipeline, whose pieces are cut by the GPU's times: the state of the stage's
/// parameters as least_memory_bytes() counts it, and half of its outputs of every micro-batch whose backward is still
/// to come when these are most, m with GPipe, p-s on stage s with 1F1B. Of what is computed again it keeps the inputs of
/// blocks that are so whole, and half of the outputs of one block, the largest, while that is computed. A rank of a tensor group of t holds 1/t of
/// both; one of a context group of c 1/c of the outputs, all of the stage's parameters, and (c-1)/c of the keys and values
/// of one block besides, which it has gathered. With zero-1 among the c d ranks with the same parameters of so many GPUs the state is that of zero-1 above. 0 for more pieces than the
/// model has blocks.
MemoryNeed least_stage_memory(const Model& model, const Gpu& gpu, Precision precision, double batch,
                              const Strategy& strategy, int gpus);

/// The same of pieces that are cut already, for one scale's many layouts.
MemoryNeed least_stage_memory(const std::vector<PieceShape>& pieces, Precision precision, double batch,
                              const ModelParallelOptions& options, int gpus);

/// "" when it fits, else one sentence: what is needed, what the GPU has, what to do. Where more GPUs would do, the
/// fewest are named.
std::string memory_complaint(const Model& model, const Gpu& gpu, Precision precision, double batch,
                             const Strategy& strategy = {}, int gpus = 1, int gpus_per_node = 1);

} // namespace ddlsim
