#include "sim/compute/kernels/attention.hpp"

#include <algorithm>
#include <cmath>

namespace ddlsim {

namespace {

constexpr double value_bytes = 2; ///< attention runs in 16 bits
constexpr double flop_of_a_pair =
    4; ///< two products, each a multiplication and an addition, for one of a head's values

// FlashAttention computes the scores again in backward: five products against two.
constexpr double backward_products = 5.0 / 2;

// Attention without a kernel of its own, from published steps of Megatron-LM and DeepSpeed on A100.
constexpr double plain_slowdown = 1.6; ///< of its products against those of the layers
constexpr double plain_forward_score_bytes = 11;
constexpr double plain_backward_score_bytes = 19;
constexpr double plain_backward_products = 4.0 / 2; ///< the scores are in memory

// Kernels against the fastest one of the generation. Hopper: FlashAttention 2 takes 1.75 times as long as 3 at 16k
// tokens (arXiv 2407.08608, head size 128), 1.9 over published steps of Composer, FlashAttention 1 in Triton 2.4 over
// these. A100: 1.35 over steps of Composer. Blackwell: nothing is published; as on Hopper.
constexpr double flash2_on_hopper = 1.9;
constexpr double flash1_on_hopper = 2.4;
constexpr double flash1_before_hopper = 1.35;

/// Rate at a head size over the rate at 128: a power law through 64 and 128, constant above.
double share_at(double head_size, const AttentionRates& rates) {
  constexpr double usual_size = 128;
  if (head_size >= usual_size) return 1;
  return std::pow(rates.share_at_size_64, std::log2(usual_size / head_size));
}

bool has_no_tokens(const AttentionShape& shape) {
  return shape.sequences <= 0 || shape.tokens <= 0 || shape.heads <= 0;
}

double plain_s(const AttentionShape& shape, const KernelRates& rates, double products, double score_bytes) {
  const double scores = shape.sequences * shape.heads * shape.tokens * shape.tokens / shape.context;
  const double product_flop_per_s = rates.peaks.attention_flop_per_s * rates.product.peak_share / plain_slowdown;
  return 2 * products * rates.product.launch_s +
         products * flop_of_a_pair * shape.head_size * scores / product_flop_per_s +
         score_bytes * scores / (rates.peaks.memory_Bps * rates.memory_share);
}

/// Forward without launches, by the kernel of the tables.
double tabled_forward_s(const AttentionShape& shape, const KernelRates& rates) {
  const auto& attention = rates.attention;
  const double half = shape.causal ? 0.5 : 1; // of the padding, too
  const double pairs = attention_pairs(shape) / shape.context + half * shape.tokens * attention.padded_tokens;
  const double flop = flop_of_a_pair * shape.sequences * shape.heads * shape.head_size * pairs;
  const double flop_per_s =
      rates.peaks.attention_flop_per_s * attention.peak_share * share_at(shape.head_size, attention);
  const double bytes =
      2 * value_bytes * shape.sequences * shape.tokens * shape.head_size * (shape.heads + shape.kv_heads);
  return std::max(flop / flop_per_s, bytes / (rates.peaks.memory_Bps * rates.memory_share));
}

} // namespace

std::string to_text(AttentionKernel kernel) {
  switch (kernel) {
  case AttentionKernel::plain:
    return "plain";
  case AttentionKernel::flash1:
    return "flash1";
  case AttentionKernel::flash2:
    return "flash2";
  case AttentionKernel::flash3:
    return "flash3";
  case AttentionKernel::cudnn:
    return "cudnn";
  }
  return "";
}

double attention_pairs(const AttentionShape& shape) {
  const double tokens = shape.tokens;
  const double window = shape.window > 0 ? std::min(shape.window, tokens) : tokens;
  return shape.causal ? window * (tokens - window / 2) : window * tokens;
}

double attention_flop(const AttentionShape& shape) {
  return flop_of_a_pair * shape.sequences * shape.heads * shape.head_size * attention_pairs(shape) / shape.context;
}

double kernel_slowdown(AttentionKernel kernel, GpuGeneration generation) {
  const bool is_new = is_since_hopper(generation);
  if (kernel == AttentionKernel::flash1) return is_new ? flash1_on_hopper : flash1_before_hopper;
  if (kernel == AttentionKernel::flash2) return is_new ? flash2_on_hopper : 1;
  return 1;
}

double attention_forward_s(const AttentionShape& shape, AttentionKernel kernel, const KernelRates& rates) {
  if (has_no_tokens(shape)) return 0;
  if (kernel == AttentionKernel::plain) return plain_s(shape, rates, 1, plain_forward_score_bytes);
  return shape.context * rates.attention.launch_s +
         kernel_slowdown(kernel, rates.generation) * tabled_forward_s(shape, rates);
}

double attention_backward_s(const AttentionShape& shape, AttentionKernel kernel, const KernelRates& rates) {
  if (has_no_tokens(shape)) return 0;
  if (kernel == AttentionKernel::plain)
    return plain_s(shape, rates, plain_backward_products, plain_backward_score_bytes);
  return shape.context * rates.attention.launch_s + backward_products / rates.attention.backward_share *
                                                        kernel_slowdown(kernel, rates.generation) *
                                                        tabled_forward_s(shape, rates);
}

} // namespace ddlsim
