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

/// Least memory that training needs on one GPU, bytes.
struct MemoryNeed {
  double parameters = 0;
  double gradients = 0;
  double optimizer = 0;
  double activations = 0; ///< of one micro-batch
  double gathered = 0; ///< whole parameters of gathered units and one unit's gradients; keys and values of other ranks

  double total() const { return parameters + gradients + optimizer + activations + gathered; }
};

/// Lower bound of the bytes that training needs: parameters, gradients and momentum in fp32, and half of all layer
/// outputs (the rest is recomputed, fused or overwritten in place; 16-bit outputs under amp, fp16 and bf16). The
/// tightest published run that fits (ResNet-50 under XLA and amp, batch 320, 16 GB) leaves room for 0.65 of its
/// outputs.
double least_memory_bytes(const Model& model, Precision precision, double batch);

/// Lower bound of the memory that each of `gpus` needs, by strategy. Sharded strategies keep Adam's state, 16 bytes a
/// parameter (Rajbhandari et al., ZeRO, SC 2020, section 3.1; FSDP keeps fp32 parameters, gradients and two moments, as
/// many bytes). A rank has
///   zero-1  all parameters and gradients, and its part of the optimizer state
///   zero-2  all parameters, and its part of the gradients and of the optimizer state
///   fsdp    its part of all three, and the whole root and one more whole unit, in the precision of compute; parts are
///           those of a shard_group where that has fewer ranks than the job
/// With offload a rank has no optimizer state. Of gradients it has only those of zero-1, whole; of fsdp's parameters it
/// has its part in the precision of compute, or none. Data on its way to the host is not counted.
/// Half precision: parameters and gradients 2 bytes each, the optimizer 12 with fp32 parameters; else 4, 4 and 8.
/// Activations are those of a micro-batch: half of the outputs, as above. Where whole blocks are recomputed, they are
/// the input of each block and half of one block's outputs. Other strategies need least_memory_bytes(), split into
/// parameters, gradients, optimizer and activations.
MemoryNeed least_memory(const Model& model, Precision precision, double batch, const Strategy& strategy, int gpus,
                        int gpus_per_node = 1);

/// Lower bound of the memory for the stage of a pipeline that needs most. The GPU's times decide how the model is cut
/// into pieces. A stage holds the state of its parameters as least_memory_bytes() counts it, and half of its outputs
/// for every micro-batch whose backward is still to come: at most m with GPipe, and p-s on stage s with 1F1B. Of
/// recomputed outputs it keeps the inputs of whole blocks, and half of the outputs of the largest block while that is
/// computed. A rank of a tensor group of t holds 1/t of both. A rank of a context group of c holds 1/c of the outputs,
/// all of the stage's parameters, and the (c-1)/c of one block's keys and values that it gathers. With zero-1 the state
/// is that of zero-1 above, among the c d ranks with the same parameters. 0 for more pieces than the model has blocks.
MemoryNeed least_stage_memory(const Model& model, const Gpu& gpu, Precision precision, double batch,
                              const Strategy& strategy, int gpus);

/// The same bound for a model that is cut already. A search over one scale's layouts cuts it once.
MemoryNeed least_stage_memory(const std::vector<PieceShape>& pieces, Precision precision, double batch,
                              const ModelParallelOptions& options, int gpus);

/// Returns "" when the model fits, else one sentence: what is needed, what the GPU has, what to do. It names the fewest
/// GPUs that are enough, where more GPUs help.
std::string memory_complaint(const Model& model, const Gpu& gpu, Precision precision, double batch,
                             const Strategy& strategy = {}, int gpus = 1, int gpus_per_node = 1);

} // namespace ddlsim
