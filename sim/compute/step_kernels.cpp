#include "sim/compute/step_kernels.hpp"

#include "sim/base/error.hpp"
#include "sim/compute/batch_line_fit.hpp"
#include "sim/compute/kernels/attention.hpp"
#include "sim/compute/kernels/matrix_product.hpp"
#include "sim/compute/layer_times.hpp"
#include "sim/compute/optimizer.hpp"
#include "sim/formats/model_constants.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace ddlsim {
namespace {

/// How sharply the slower of GPU and host decides: with 6, two that are equally slow take 12 % longer than each.
constexpr double sharpness = 6;
constexpr double read_and_write = 2;   ///< an activation is read once and written once
constexpr double gradient_touches = 4; ///< the activation and its gradient, each read and written
/// Passes over the logits, forward and backward, bytes a logit: PyTorch computes the loss in fp32.
constexpr double logit_bytes = 24;
/// Passes over a parameter's gradient where passes of micro-batches are summed in fp32: read and written.
constexpr double accumulated_bytes = 8;
/// Bytes of an output of experts with a bias: products of several matrices add none, so that a pass reads and writes the
/// outputs with an intermediate in fp32, and backward sums their gradients (Megatron-LM 23e00ed,
/// megatron/core/transformer/moe/experts.py).
constexpr double expert_bias_bytes = 14;
/// Passes over the outputs of a scan in forward, counted from the kernels of mamba_ssm (ops/triton/ssd_combined.py):
/// inputs, gate and output (4), and per chunk of 128 or 256 tokens a state in fp32 that is written, passed on and read
/// (6). Backward has the same and the gradients. No scan was measured.
constexpr double scan_touches = 10;
constexpr double scan_gradient_touches = 20;
/// Score products are small: they run at 1/1.6 of the rate of the layers' products (attention.cpp).
constexpr double score_slowdown = 1.6;

/// A batch on one GPU, and the seconds of its parts so far.
struct Step {
  const KernelWork& work;
  const StepRates& rates;
  double batch = 0;
  double expert_ranks = 1;
  bool accumulates = false; ///< several passes add up a gradient
  PartShares parts_s{};
  double& operator[](StepPart part) { return parts_s[static_cast<std::size_t>(part)]; }
};

double memory_s(const Step& step, double bytes) {
  return bytes / (step.rates.wide.peaks.memory_Bps * step.rates.wide.memory_share);
}

void add_convolution(Step& step, const LayerWork& layer) {
  const auto& rates = step.rates;
  const auto usual = convolution_efficiency(layer.kernel, rates.tensor_cores);
  const auto in_fp32 = convolution_efficiency(layer.kernel, false);
  const double least_s = memory_s(step, read_and_write * step.batch * layer.outputs * rates.value_bytes);
  constexpr double KernelEfficiency::*passes[]{&KernelEfficiency::forward, &KernelEfficiency::backward_data,
                                               &KernelEfficiency::backward_weights};
  for (const auto pass : std::span(passes).first(static_cast<std::size_t>(passes_of(layer.backward)))) {
    // cuDNN takes the faster of what is allowed.
    const double flop_per_s =
        std::max(rates.convolution_flop_per_s * usual.*pass, rates.fp32_flop_per_s * in_fp32.*pass);
    step[StepPart::convolution] += layer.count * std::max(step.batch * layer.flop / flop_per_s, least_s);
  }
}

void add_product(Step& step, const LayerWork& layer) {
  if (layer.columns <= 0 || layer.outputs <= 0) return;
  constexpr double flop_of_term = 2;
  const double own = std::max(1.0, layer.experts / step.expert_ranks); // experts on this GPU
  const double rows = step.batch * layer.outputs / layer.columns / own;
  const double depth = layer.flop / (flop_of_term * layer.outputs);
  const auto& rates = layer.in_8_bits ? step.rates.narrow : step.rates.wide;
  const auto product_s = [&](const MatrixShape& shape) { return grouped_product_s(shape, own, rates); };
  double seconds = product_s({rows, layer.columns, depth});
  if (layer.backward != LayerBackward::none) seconds += product_s({rows, depth, layer.columns});
  if (layer.backward == LayerBackward::whole) seconds += product_s({layer.columns, depth, rows});
  step[StepPart::product] += layer.count * seconds;
  if (layer.biased)
    step[StepPart::memory] += layer.count * memory_s(step, expert_bias_bytes * step.batch * layer.outputs);
  if (step.accumulates)
    step[StepPart::memory] += layer.count * memory_s(step, accumulated_bytes * own * layer.columns * depth);
}

/// The attention of a layer. Where the table does not say how wide a head is, 128 is taken, as most are.
AttentionShape attention_shape(const Step& step, const LayerWork& layer) {
  constexpr double usual_width = 128;
  const auto& facts = layer.attention;
  const double tokens = std::max(1.0, step.work.tokens);
  const double chunk = facts.chunk > 0 ? std::min(tokens, static_cast<double>(facts.chunk)) : tokens;
  const double width = facts.head_width > 0 ? static_cast<double>(facts.head_width) : usual_width;
  const double key_width = facts.key_width > 0 ? static_cast<double>(facts.key_width) : width;
  AttentionShape shape;
  shape.sequences = step.batch * tokens / chunk;
  shape.tokens = chunk;
  shape.head_size = (width + key_width) / 2;
  shape.heads = layer.outputs / tokens / width;
  shape.kv_heads = facts.key_heads > 0 ? static_cast<double>(facts.key_heads) : shape.heads;
  shape.causal = facts.causal;
  shape.window = static_cast<double>(facts.window);
  const double square_flop = 4 * tokens * layer.outputs;
  const bool is_stated = facts.head_width > 0;
  if (!is_stated && square_flop > 0 && layer.flop < square_flop) shape.window = tokens * layer.flop / square_flop;
  return shape;
}

void add_fused_attention(Step& step, const LayerWork& layer) {
  const auto shape = attention_shape(step, layer);
  constexpr auto kernel = AttentionKernel::cudnn; // the stack's deviation says how much slower its own is
  double seconds = attention_forward_s(shape, kernel, step.rates.wide);
  if (layer.backward != LayerBackward::none) seconds += attention_backward_s(shape, kernel, step.rates.wide);
  step[StepPart::attention] += layer.count * seconds;
}

void add_scan(Step& step, const LayerWork& layer) {
  const auto& rates = step.rates.wide;
  const double flop_s =
      score_slowdown * step.batch * layer.flop / (rates.peaks.product_flop_per_s * rates.product.peak_share);
  const double output_bytes = step.batch * layer.outputs * step.rates.value_bytes;
  const double backward_flop_s = (passes_of(layer.backward) - 1) * flop_s;
  step[StepPart::memory] +=
      layer.count * (std::max(flop_s, memory_s(step, scan_touches * output_bytes)) +
                     std::max(backward_flop_s, memory_s(step, scan_gradient_touches * output_bytes)));
}

/// A token is copied to each expert that it chooses, and the outputs of these are read and summed, in each direction
/// (Megatron-LM 23e00ed, megatron/core/transformer/moe/moe_utils.py, with fused permutation).
void add_combine(Step& step, const LayerWork& layer) {
  const double touches = 2 * (read_and_write * (layer.chosen + 1)); // forward and backward, there and back
  step[StepPart::memory] += layer.count * memory_s(step, touches * step.batch * layer.outputs * step.rates.value_bytes);
}

void add_score_product(Step& step, const LayerWork& layer) {
  const auto& rates = step.rates.wide;
  const double flop_s =
      score_slowdown * step.batch * layer.flop / (rates.peaks.product_flop_per_s * rates.product.peak_share);
  const double bytes_s = memory_s(step, read_and_write * step.batch * layer.outputs * step.rates.value_bytes);
  const double passes = layer.backward == LayerBackward::none ? 1 : passes_of(LayerBackward::whole);
  step[StepPart::attention] += layer.count * passes * std::max(flop_s, bytes_s);
}

void add_pass(Step& step, const LayerWork& layer) {
  const double touches = read_and_write + (layer.backward == LayerBackward::none ? 0 : gradient_touches);
  step[StepPart::memory] += layer.count * memory_s(step, touches * step.batch * layer.outputs * step.rates.value_bytes);
}

void add_layer_time(Step& step, const LayerWork& layer) {
  switch (layer.kernel) {
  case LayerKernel::convolution:
  case LayerKernel::convolution_1x1:
  case LayerKernel::convolution_3x3:
    return add_convolution(step, layer);
  case LayerKernel::product:
    return add_product(step, layer);
  case LayerKernel::fused_attention:
    return add_fused_attention(step, layer);
  case LayerKernel::score_product:
    return add_score_product(step, layer);
  case LayerKernel::scan:
    return add_scan(step, layer);
  case LayerKernel::combine:
    return layer.chosen > 0 ? add_combine(step, layer) : add_pass(step, layer);
  case LayerKernel::loss:
    step[StepPart::product] += layer.count * memory_s(step, logit_bytes * step.batch * layer.outputs);
    return;
  case LayerKernel::pass:
    return add_pass(step, layer);
  }
}

/// Returns the shares of the time in which the host sets the pace for a part `host_share` of it.
PartShares shares_of(const Step& step, double gpu_s, double host_share) {
  PartShares shares = step.parts_s;
  for (auto& share : shares) share *= (1 - host_share) / gpu_s;
  shares[static_cast<std::size_t>(StepPart::launch)] += host_share;
  return shares;
}

/// The format whose tables tell how products run on that unit.
KernelPrecision precision_on(ArithmeticUnit unit) {
  if (unit == ArithmeticUnit::fp32) return KernelPrecision::fp32;
  return unit == ArithmeticUnit::tf32 ? KernelPrecision::tf32 : KernelPrecision::bf16;
}

/// Medians of the shipped kernel rates, for a data folder that has none.
KernelRates usual_rates(const Gpu& gpu, double product_flop_per_s) {
  if (gpu.memory_bandwidth_Bps <= 0) throw UserError("", "", "the catalogue has no memory bandwidth of " + gpu.name);
  KernelRates rates;
  rates.generation = generation_of(gpu);
  rates.peaks = {product_flop_per_s, product_flop_per_s, gpu.memory_bandwidth_Bps};
  rates.product = {0.74, 130, 5e-6, 3};
  rates.attention = {0.61, 790, 0.75, 0.6, 6e-6};
  rates.memory_share = 0.8;
  return rates;
}

KernelRates rates_in_step(const KernelRateBook& book, const std::vector<Gpu>& gpus, const Gpu& gpu,
                          KernelPrecision precision, double product_flop_per_s) {
  auto rates =
      queued(book.gpus.empty() ? usual_rates(gpu, product_flop_per_s) : kernel_rates(book, gpus, gpu, precision));
  rates.precision = precision;
  rates.peaks.product_flop_per_s = product_flop_per_s;
  return rates;
}

} // namespace

StepRates step_rates(const KernelRateBook& book, const std::vector<Gpu>& gpus, const Gpu& gpu, Precision precision,
                     Tf32Use tf32) {
  const bool narrow = has_narrow_products(precision);
  StepRates rates;
  const auto unit = wide_unit(gpu, arithmetic_of(precision, tf32.matmul));
  const auto convolution = wide_unit(gpu, arithmetic_of(precision, tf32.convolution));
  rates.wide = rates_in_step(book, gpus, gpu, precision_on(unit.unit), unit.peak_flop_per_s);
  rates.narrow = narrow ? rates_in_step(book, gpus, gpu, kernel_precision(precision), peak_flop_per_s(gpu, precision))
                        : rates.wide;
  rates.convolution_flop_per_s = convolution.peak_flop_per_s;
  rates.tensor_cores = is_tensor_core(convolution.unit);
  if (convolution.unit == ArithmeticUnit::tf32) rates.fp32_flop_per_s = peak_flop_per_s(gpu, Precision::fp32);
  rates.value_bytes = computed_bytes_per_parameter(precision);
  rates.least_layer_s = least_layer_s(gpu);
  return rates;
}

StepKernels step_kernels(const KernelWork& work, const StepRates& rates, double batch, bool has_update,
                         const WorkSplit& split) {
  const double passes = work.mixes ? std::max(1.0, split.passes) : 1;
  Step step{work, rates, batch / passes, work.mixes ? split.expert_ranks : 1, passes > 1};
  for (const auto& layer : work.layers) add_layer_time(step, layer);
  step[StepPart::launch] += work.passes * rates.least_layer_s;
  for (auto& part_s : step.parts_s) part_s *= passes;
  if (has_update)
    step[StepPart::memory] += memory_s(step, touched_bytes(usual_optimizer(work.attends)) * work.parameters);
  double gpu_s = 0;
  for (const double part_s : step.parts_s) gpu_s += part_s;
  const double host_s = passes * work.passes * ModelConstants{}.host_launch_s;
  const double gpu_6 = std::pow(gpu_s, sharpness);
  const double both_6 = gpu_6 + std::pow(host_s, sharpness);
  return {std::pow(both_6, 1 / sharpness), shares_of(step, gpu_s, 1 - gpu_6 / both_6)};
}

} // namespace ddlsim
