#pragma once
// Bytes that the element-wise operations of a transformer block move.

#include "sim/compute/kernels/stack_costs.hpp"

namespace ddlsim {

/// Bytes of a token in one layer and one pass, for each value of a width of the model. Values have 2 bytes.
struct PassBytes {
  double hidden = 0;  ///< norms, sums with the residual, dropout: on one GPU of a tensor group, or divided
                      ///< over it by sequence parallelism
  double queries = 0; ///< rotary positions of the queries; divided over a tensor group
  double keys = 0;    ///< of the keys; divided, too
  double ffn = 0;     ///< activation of the feed-forward block; divided, too
};

/// What a block moves in forward and in backward.
struct BlockPasses {
  PassBytes forward;
  PassBytes backward;
};

/// `gated`: Llama's block with RMSNorm, rotary positions and SwiGLU; else GPT's with LayerNorm, biases, GELU and
/// dropout.
BlockPasses block_passes(bool gated, ElementPasses passes);

} // namespace ddlsim
