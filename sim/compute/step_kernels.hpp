#pragma once
// The time of one iteration of one GPU by its kernels, and the share of each kind of kernel in it.

#include "sim/compute/kernel_work.hpp"
#include "sim/compute/kernels/rates.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/names.hpp"
#include "sim/formats/tf32.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace ddlsim {

/// Kinds of kernels whose times deviate from the model together.
enum class StepPart : std::uint8_t {
  convolution,
  product, ///< matrix products, logits and loss
  attention,
  memory, ///< element-wise passes, and the update of the parameters
  launch, ///< least times of small kernels, and the host that launches them
};
inline constexpr std::size_t step_part_count = 5;

/// d ln(time) / d ln(part) for each StepPart; they add up to 1.
using PartShares = std::array<double, step_part_count>;

/// The rates of one GPU in one precision that the time of an iteration depends on.
struct StepRates {
  KernelRates wide;                  ///< of 16 bits for fp8, else of the precision itself
  KernelRates narrow;                ///< of products that fp8 computes in 8 bits; as `wide` for other precisions
  double convolution_flop_per_s = 0; ///< peak of the unit that runs convolutions
  bool tensor_cores = false;         ///< whether these are tensor cores
  /// Peak of fp32, which runs a convolution that TF32 would make slower; 0: not for this precision.
  double fp32_flop_per_s = 0;
  double value_bytes = 4;   ///< of an activation
  double least_layer_s = 0; ///< least time of a layer and pass, however small the batch
};

/// Throws UserError when the catalogue has no peak of the precision or no memory bandwidth for the GPU.
StepRates step_rates(const KernelRateBook& book, const std::vector<Gpu>& gpus, const Gpu& gpu, Precision precision,
                     Tf32Use tf32 = {});

struct StepKernels {
  double time_s = 0;
  PartShares shares{};
};

/// Returns the time of forward, backward and, if `has_update`, the optimizer of `batch` samples on one GPU:
///
///   gpu  = sum over layers of forward + data gradient + weight gradient + least times + update
///   time = (gpu^6 + host^6)^(1/6)
///
/// because the host launches kernels while the GPU runs others. A product is timed by matrix_product_s(), fused
/// attention by attention_forward_s() and attention_backward_s(), a convolution by the share of the peak that its kind
/// reaches or its bytes, whichever takes longer, and all else by its bytes. A model with experts is timed pass by pass:
/// each has a part of the batch, and a GPU multiplies the tokens of `expert_ranks` GPUs for its part of the experts.
StepKernels step_kernels(const KernelWork& work, const StepRates& rates, double batch, bool has_update,
                         const WorkSplit& split = {});

} // namespace ddlsim
