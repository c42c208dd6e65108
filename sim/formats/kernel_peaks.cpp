#include "sim/formats/kernel_peaks.hpp"

#include <vector>

namespace ddlsim {

namespace {

/// Dense rate of NVFP4 over that of 16 bits (data sheet of B200: 9 and 2.25 PFLOP/s).
constexpr double nvfp4_over_16_bits = 4;

std::vector<ArithmeticUnit> tensor_units(KernelPrecision precision) {
  using enum ArithmeticUnit;
  switch (precision) {
  case KernelPrecision::fp32:
    return {fp32};
  case KernelPrecision::tf32:
    return {tf32, fp32}; // without TF32 a GPU computes in fp32
  case KernelPrecision::bf16:
    return {bf16_tensor, fp16_tensor};
  case KernelPrecision::fp8:
  case KernelPrecision::fp8_block:
    return {fp8_tensor};
  case KernelPrecision::nvfp4:
    break;
  }
  return {};
}

double first_peak(const Gpu& gpu, const std::vector<ArithmeticUnit>& units) {
  for (const auto unit : units)
    if (const auto found = gpu.peak_flop_per_s.find(unit); found != gpu.peak_flop_per_s.end()) return found->second;
  return 0;
}

} // namespace

std::string to_text(KernelPrecision precision) {
  switch (precision) {
  case KernelPrecision::fp32:
    return "fp32";
  case KernelPrecision::tf32:
    return "tf32";
  case KernelPrecision::bf16:
    return "bf16";
  case KernelPrecision::fp8:
    return "fp8";
  case KernelPrecision::fp8_block:
    return "fp8-block";
  case KernelPrecision::nvfp4:
    return "nvfp4";
  }
  return "";
}

GpuGeneration generation_of(const Gpu& gpu) {
  constexpr int ampere = 80, ada = 89, hopper = 90, blackwell = 100, ultra = 103, graphics = 120; // ten times CUDA's
  const int capability = gpu.compute_capability;
  if (capability <= 0) return GpuGeneration::other;
  if (capability < ampere) return GpuGeneration::before_ampere;
  if (capability < ada) return GpuGeneration::ampere;
  if (capability < hopper) return GpuGeneration::ada;
  if (capability < blackwell) return GpuGeneration::hopper;
  if (capability < ultra) return GpuGeneration::blackwell;
  return capability < graphics ? GpuGeneration::blackwell_ultra : GpuGeneration::blackwell_graphics;
}

bool is_since_hopper(GpuGeneration generation) {
  return generation == GpuGeneration::hopper || generation == GpuGeneration::blackwell ||
         generation == GpuGeneration::blackwell_ultra;
}

double kernel_peak_flop_per_s(const Gpu& gpu, KernelPrecision precision) {
  if (precision != KernelPrecision::nvfp4) return first_peak(gpu, tensor_units(precision));
  const auto generation = generation_of(gpu);
  const bool has_4_bits = (is_since_hopper(generation) && generation != GpuGeneration::hopper) ||
                          generation == GpuGeneration::blackwell_graphics;
  return has_4_bits ? nvfp4_over_16_bits * kernel_peak_flop_per_s(gpu, KernelPrecision::bf16) : 0;
}

} // namespace ddlsim
