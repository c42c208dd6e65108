#include "sim/compute/layer_times.hpp"

#include "sim/base/error.hpp"
#include "sim/compute/partial_training.hpp"
#include "sim/formats/kernel_peaks.hpp"
#include "sim/formats/model_constants.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>

namespace ddlsim {
namespace {

/// Medians of the DeepBench convolution and GEMM tables, P100 and V100 fp32 (baidu-research/DeepBench,
/// results/train/*.xlsx).
KernelEfficiency fp32_efficiency(const std::string& kind) {
  if (kind == "conv1x1") return {0.70, 0.58, 0.43};
  if (kind == "conv3x3") return {1.30, 1.30, 1.10};
  return {0.70, 0.40, 0.60};
}

/// The medians with tensor cores (V100 and T4 tables).
KernelEfficiency tensor_core_efficiency(const std::string& kind) {
  if (kind == "conv3x3") return {0.47, 0.42, 0.53};
  return {0.36, 0.28, 0.31};
}

constexpr double memory_efficiency =
    0.5; ///< share of the data sheet's bandwidth that is reached (DeepBench; element-wise share of CNN profiles)
constexpr double forward_touches = 2;  ///< accesses to an activation: written once and read once
constexpr double backward_touches = 4; ///< accesses to an activation and its gradient: each read and written

bool on_tensor_cores(const Gpu& gpu, Precision precision) {
  return has_16_bit_values(precision) && (gpu.peak_flop_per_s.count(ArithmeticUnit::fp16_tensor) != 0 ||
                                          gpu.peak_flop_per_s.count(ArithmeticUnit::bf16_tensor) != 0);
}

/// Returns the units that may run a precision, the fastest first.
std::vector<ArithmeticUnit> units_of(Precision precision) {
  using enum ArithmeticUnit;
  switch (precision) {
  case Precision::fp32:
    return {fp32};
  case Precision::tf32:
    return {tf32, fp32};
  case Precision::amp:
    return {fp16_tensor, bf16_tensor, fp16, fp32};
  case Precision::fp16:
    return {fp16_tensor, fp16, fp32};
  case Precision::bf16:
    return {bf16_tensor, bf16, fp16_tensor, fp32};
  case Precision::fp8:
  case Precision::fp8_block:
  case Precision::mxfp8:
  case Precision::nvfp4: // the unit computes in 4 bits, too
    return {fp8_tensor};
  }
  return {};
}

/// Whether only tensor cores since Blackwell read the format's scales.
bool is_of_blackwell(Precision precision) {
  return precision == Precision::mxfp8 || precision == Precision::nvfp4;
}

/// Returns the peak FLOP/s of the unit that runs each layer.
std::vector<double> peaks_of_layers(const Model& model, const Gpu& gpu, Precision precision) {
  std::vector<double> peaks(model.layers.size(), wide_unit(gpu, precision).peak_flop_per_s);
  if (!has_narrow_products(precision)) return peaks;
  const double narrow_flop_per_s = peak_flop_per_s(gpu, precision);
  const auto narrow = layers_in_8_bits(model);
  for (std::size_t l = 0; l < peaks.size(); ++l)
    if (narrow[l]) peaks[l] = narrow_flop_per_s;
  return peaks;
}

} // namespace

std::vector<bool> layers_in_8_bits(const Model& model) {
  std::vector<bool> found;
  found.reserve(model.layers.size());
  for (const auto& layer : model.layers) found.push_back(layer.kind == "linear" && !is_adapter(layer));
  const auto last = std::find(found.rbegin(), found.rend(), true);
  if (last != found.rend()) *last = false;
  return found;
}

bool is_tensor_core(ArithmeticUnit unit) {
  using enum ArithmeticUnit;
  return unit == tf32 || unit == fp16_tensor || unit == bf16_tensor || unit == fp8_tensor;
}

KernelEfficiency convolution_efficiency(LayerKernel kernel, bool tensor_cores) {
  const char* kind = kernel == LayerKernel::convolution_1x1   ? "conv1x1"
                     : kernel == LayerKernel::convolution_3x3 ? "conv3x3"
                                                              : "conv";
  return tensor_cores ? tensor_core_efficiency(kind) : fp32_efficiency(kind);
}

double bytes_per_parameter(WirePrecision wire_precision) {
  switch (wire_precision) {
  case WirePrecision::fp32:
  case WirePrecision::unknown:
    return 4;
  case WirePrecision::fp16:
  case WirePrecision::bf16:
    return 2;
  }
  return 4;
}

double computed_bytes_per_parameter(Precision precision) {
  return has_16_bit_values(precision) ? 2 : 4;
}

double gradient_bytes_per_parameter(Precision precision) {
  return precision == Precision::fp16 ? 2 : 4;
}

double peak_flop_per_s(const Gpu& gpu, Precision precision) {
  return compute_unit(gpu, precision).peak_flop_per_s;
}

ComputeUnit compute_unit(const Gpu& gpu, Precision precision) {
  const double narrowest = is_of_blackwell(precision) ? kernel_peak_flop_per_s(gpu, KernelPrecision::nvfp4) : 0;
  for (const auto unit : units_of(precision)) {
    const auto peak = gpu.peak_flop_per_s.find(unit);
    if (peak == gpu.peak_flop_per_s.end()) continue;
    if (is_of_blackwell(precision) && narrowest <= 0) break;
    return {unit, precision == Precision::nvfp4 ? narrowest : peak->second};
  }
  throw UserError("", "/precision",
                  "the catalogue has no peak rate of " + gpu.name + " for " + to_text(precision) +
                      "; give another precision, or another GPU");
}

ComputeUnit wide_unit(const Gpu& gpu, Precision precision) {
  return compute_unit(gpu, has_narrow_products(precision) ? Precision::bf16 : precision);
}

std::vector<LayerTime> roofline_layer_times(const Model& model, const Gpu& gpu, Precision precision, double batch) {
  const auto peaks = peaks_of_layers(model, gpu, precision);
  const double memory_Bps = memory_efficiency * gpu.memory_bandwidth_Bps;
  const bool tensor_cores = on_tensor_cores(gpu, precision);
  const double activation_scale = has_16_bit_values(precision) ? 0.5 : 1.0;
  std::vector<LayerTime> times;
  times.reserve(model.layers.size());
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const auto& layer = model.layers[l];
    const double peak = peaks[l];
    const auto efficiency = tensor_cores ? tensor_core_efficiency(layer.kind) : fp32_efficiency(layer.kind);
    const double flop = batch * layer.forward_flop_per_sample;
    const double bytes = batch * layer.activation_bytes_per_sample * activation_scale;
    const double weights = layer.tensors.empty() ? 0 : flop / (efficiency.backward_weights * peak);
    const double backward_s =
        flop / (efficiency.backward_data * peak) + weights + backward_touches * bytes / memory_Bps;
    times.push_back({flop / (efficiency.forward * peak) + forward_touches * bytes / memory_Bps,
                     layer.backward == LayerBackward::none ? 0 : backward_s});
  }
  return times;
}

double roofline_iteration_s(const Model& model, const Gpu& gpu, Precision precision, double batch) {
  const auto times = roofline_layer_times(model, gpu, precision, batch);
  constexpr double passes = 3; // the passes of a layer: forward, data gradient, weight gradient
  constexpr ModelConstants constants;
  double total_s = passes * constants.layer_launch_s * static_cast<double>(model.layers.size());
  for (const auto& time : times) total_s += time.forward_s + time.backward_s;
  return constants.roofline_share * total_s;
}

ComputeProfile compute_profile(const Model& model, const Gpu& gpu, Precision precision, double batch, double total_s,
                               double forward_share, double wire_bytes_per_parameter) {
  return compute_profile(backward_shape(model, gpu, precision, batch, wire_bytes_per_parameter), total_s,
                         forward_share);
}

BackwardShape backward_shape(const Model& model, const Gpu& gpu, Precision precision, double batch,
                             double wire_bytes_per_parameter) {
  const auto times = roofline_layer_times(model, gpu, precision, batch);
  const double backward_sum = std::accumulate(times.begin(), times.end(), 0.0,
                                              [](double sum, const LayerTime& time) { return sum + time.backward_s; });
  int tensor = 0;
  for (const auto& layer : model.layers) tensor += static_cast<int>(layer.tensors.size());
  BackwardShape shape;
  shape.wire_share = wire_bytes_per_parameter / gradient_bytes_per_parameter(precision);
  shape.tensors.reserve(static_cast<std::size_t>(tensor));
  double done = 0;
  for (std::size_t l = model.layers.size(); l-- > 0;) {
    done += times[l].backward_s;
    const double share = backward_sum > 0 ? std::min(1.0, done / backward_sum) : 1.0;
    const auto& tensors = model.layers[l].tensors;
    for (std::size_t t = tensors.size(); t-- > 0;)
      shape.tensors.push_back({--tensor, tensors[t].size_bytes / 4 * wire_bytes_per_parameter, share});
  }
  return shape;
}

ComputeProfile compute_profile(const BackwardShape& shape, double total_s, double forward_share) {
  ComputeProfile profile;
  profile.forward_s = forward_share * total_s;
  profile.backward_s = total_s - profile.forward_s;
  profile.wire_share = shape.wire_share;
  profile.tensors.reserve(shape.tensors.size());
  for (const auto& one : shape.tensors)
    profile.tensors.push_back({one.tensor, one.size_bytes, profile.forward_s + profile.backward_s * one.done});
  return profile;
}

} // namespace ddlsim
