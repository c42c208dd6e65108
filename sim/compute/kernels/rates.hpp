#pragma once
// The rates by which kernels of one GPU are timed: those fitted to its tables, or those of its generation on its own
// peaks.

#include "sim/formats/gpu.hpp"
#include "sim/formats/kernel_peaks.hpp"
#include "sim/formats/kernel_rates.hpp"
#include "sim/formats/names.hpp"

#include <vector>

namespace ddlsim {

/// Peaks of a GPU by its data sheet, as the kernel model needs them.
struct GpuPeaks {
  double product_flop_per_s = 0;   ///< dense, in the precision of the products
  double attention_flop_per_s = 0; ///< dense, 16 bits
  double memory_Bps = 0;
};

/// Share of the memory rate that a pass reaches. Assumed for all GPUs: the kernel tables have no plain copies.
inline constexpr double reached_memory_share = 0.8;

/// Everything about the GPU and the precision that the time of a kernel depends on.
struct KernelRates {
  KernelPrecision precision = KernelPrecision::bf16;
  GpuGeneration generation = GpuGeneration::hopper;
  GpuPeaks peaks;
  ProductRates product;
  AttentionRates attention;
  double memory_share = reached_memory_share;
  /// Standard deviations of ln of the two rates where they are borrowed; 0 where they were fitted to the GPU's tables.
  double product_error = 0;
  double attention_error = 0;
};

/// The format of the matrix products of a training run: amp and fp16 as bf16.
KernelPrecision kernel_precision(Precision precision);

/// Returns the GPU's own rates where the book has them. Otherwise it returns the median shares of the GPUs of its
/// generation, or of all GPUs if the book has none of its generation, on its own peaks. fp32 and TF32, for which there
/// are no tables, run at the share of bf16. `gpus` is the catalogue. Throws UserError when it lacks the GPU's memory
/// bandwidth or its peak for the precision, and when the book has no table of that precision.
KernelRates kernel_rates(const KernelRateBook& book, const std::vector<Gpu>& gpus, const Gpu& gpu,
                         KernelPrecision precision);

/// Returns the rates for kernels that wait in a queue, as in a training step: a launch then takes at most 6
/// microseconds.
KernelRates queued(KernelRates rates);

} // namespace ddlsim
