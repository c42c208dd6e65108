#include "sim/compute/kernels/element_passes.hpp"

namespace ddlsim {

namespace {

// Counted kernel by kernel: a fused kernel reads each input and writes each result once.
// Forward of GPT: two norms of 4 bytes a value, two sums with bias, dropout and residual of 7, a GELU of 4.
// Forward of Llama: two norms of 4, two sums of 6, rotary positions of 4, SwiGLU of 6.
constexpr BlockPasses fused_gpt{{22, 0, 0, 4}, {36, 0, 0, 8}};
constexpr BlockPasses fused_llama{{20, 4, 4, 6}, {20, 4, 4, 10}};

// What more the same operations move when each is a kernel of its own: RMSNorm and rotary positions of PyTorch code
// are ten kernels or so, which also go through 32 bits.
constexpr BlockPasses eager_more_gpt{{6, 0, 0, 0}, {6, 0, 0, 2}};
constexpr BlockPasses eager_more_llama{{22, 16, 16, 4}, {30, 16, 16, 8}};

constexpr PassBytes sum(const PassBytes& a, const PassBytes& b) {
  return {a.hidden + b.hidden, a.queries + b.queries, a.keys + b.keys, a.ffn + b.ffn};
}

} // namespace

BlockPasses block_passes(bool gated, ElementPasses passes) {
  const auto& fused = gated ? fused_llama : fused_gpt;
  if (passes == ElementPasses::fused) return fused;
  const auto& more = gated ? eager_more_llama : eager_more_gpt;
  return {sum(fused.forward, more.forward), sum(fused.backward, more.backward)};
}

} // namespace ddlsim
