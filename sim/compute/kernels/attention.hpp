#pragma once
// The time of attention over whole sequences, forward and backward.

#include "sim/compute/kernels/rates.hpp"

#include <string>

namespace ddlsim {

/// Kernels of attention. plain writes all scores to memory. flash1 is the first FlashAttention, in Triton.
enum class AttentionKernel { plain, flash1, flash2, flash3, cudnn };

/// Its name: "flash2".
std::string to_text(AttentionKernel kernel);

/// Attention of one layer on one GPU.
struct AttentionShape {
  double sequences = 0;
  double tokens = 0;   ///< of a sequence
  double heads = 0;    ///< on this GPU
  double kv_heads = 0; ///< on this GPU
  double head_size = 0;
  bool causal = true;
  double window = 0; ///< a token sees that many tokens, its own among them; 0: all
  /// GPUs that share each sequence. Each works through that many parts of `tokens` / `context` keys; causal work is
  /// spread evenly over them.
  double context = 1;
};

/// Number of (query, key) pairs of one head and sequence that attention needs, over all GPUs of the context group.
double attention_pairs(const AttentionShape& shape);

/// FLOP of the two products of forward, 4 x sequences x heads x head_size x pairs, on this GPU; without the padding.
double attention_flop(const AttentionShape& shape);

/// How many times longer the kernel takes than the kernel of the GPU's tables: FlashAttention 2 on Ampere and on
/// graphics cards, FlashAttention 3 on Hopper, TensorRT-LLM's on Blackwell. plain: 1, because it has a formula of its
/// own.
double kernel_slowdown(AttentionKernel kernel, GpuGeneration generation);

/// launch + max(padded FLOP / (16-bit peak x peak_share x rate at the head size), bytes of q, k, v and result / memory)
/// x kernel_slowdown. plain: two products over the full square at 1/1.6 of the products' rate, and 11 bytes a score.
double attention_forward_s(const AttentionShape& shape, AttentionKernel kernel, const KernelRates& rates);

/// The same for backward: five products in place of two, at backward_share of the rate. plain: four products, and 19
/// bytes a score.
double attention_backward_s(const AttentionShape& shape, AttentionKernel kernel, const KernelRates& rates);

} // namespace ddlsim
