#pragma once
// What the kernels of a transformer depend on: the sizes of its blocks.

#include "sim/formats/model.hpp"

#include <optional>

namespace ddlsim {

/// A stack of equal transformer blocks between a word table and logits.
struct TransformerSizes {
  double layers = 0;
  double hidden = 0;
  double heads = 0;
  double kv_heads = 0;  ///< 0: as many as heads
  double head_size = 0; ///< 0: hidden / heads
  double ffn = 0;       ///< width inside the feed-forward block
  /// Three products in the feed-forward block (SwiGLU), RMSNorm and rotary positions; else two, GELU and LayerNorm.
  bool gated = false;
  double vocabulary = 0;
  bool tied_words = false;  ///< word table and logits share their parameters
  double sequence = 0;      ///< tokens
  double scored_tokens = 0; ///< of a sequence, that logits are computed for; 0: all
  bool causal = true;
  double window = 0;          ///< of sliding attention; 0: none
  double windowed_layers = 0; ///< how many of the layers have it
};

/// Returns the sizes of a model whose layer table has blocks of attention and a word table; nothing for any other
/// model. Tables do not state the size of a head: it is 128 in models of 1536 values a token and more, else 64.
std::optional<TransformerSizes> transformer_sizes(const Model& model);

/// Weights of the matrix products of one layer, all GPUs together.
double layer_parameters(const TransformerSizes& sizes);

} // namespace ddlsim
