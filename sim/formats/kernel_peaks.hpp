#pragma once
// What a GPU's data sheet says of its kernels: how fast a matrix product of each precision could run, and which GPUs
// run the same kernels.

#include "sim/formats/gpu.hpp"

#include <string>

namespace ddlsim {

/// Number formats of matrix products. bf16 is any 16-bit format: products in fp16 run as fast. fp8 has one scale for
/// each token and output, fp8_block one for each block of 128 values.
enum class KernelPrecision { fp32, tf32, bf16, fp8, fp8_block, nvfp4 };

/// Its name in tables: "bf16", "fp8-block".
std::string to_text(KernelPrecision precision);

/// GPUs whose kernels run alike, by CUDA's compute capability. blackwell_ultra is B300 and GB300, whose attention is
/// faster.
enum class GpuGeneration { before_ampere, ampere, ada, hopper, blackwell, blackwell_ultra, blackwell_graphics, other };

GpuGeneration generation_of(const Gpu& gpu);

/// Whether it is Hopper or a later one for data centres, whose tensor cores the kernels of Ampere do not use well.
bool is_since_hopper(GpuGeneration generation);

/// Returns the dense peak for that precision; 0 when the catalogue has none. NVFP4 runs at four times the 16-bit rate
/// of Blackwell GPUs.
double kernel_peak_flop_per_s(const Gpu& gpu, KernelPrecision precision);

} // namespace ddlsim
