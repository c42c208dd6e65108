#pragma once
// Computes a transformer's layer table from its shape alone: parameters, forward FLOP and output bytes of every layer,
// by the arithmetic of its matrices. FLOP and outputs are counted as in the tables that `ddltrain describe` makes of
// LibTorch definitions: BERT-base from its shape equals the shipped bert_base_seq128, layer by layer (a test).

#include "sim/formats/model.hpp"

#include <string>

namespace ddlsim {

/// Where a block's norms are: before attention and feed-forward (GPT-2, Llama, ViT), or after their residual sums
/// (BERT).
enum class NormPlace { before, after };

enum class NormKind { layer_norm, rms_norm }; ///< RMSNorm has no bias and no mean

/// plain: two matrices with an activation between; gated: SwiGLU, silu(gate) x up, then down.
enum class FeedForward { plain, gated };

/// The output that is computed from the last states, and its loss.
enum class Head {
  none,                            ///< no output: the sum of the states stands for an unknown loss
  next_token,                      ///< the next token at every position
  masked_tokens,                   ///< BERT: the tokens at masked positions
  masked_tokens_and_next_sentence, ///< BERT's pre-training: also whether the second sentence follows the first
  pooler,                          ///< a matrix and tanh on the first state
  classes,                         ///< a class, from the first state
  classes_of_pooled_state,         ///< a class, from the pooler's output
};

struct TransformerShape {
  std::string family; ///< as its config names it: "llama"
  long tokens = 0;    ///< states per sample, including a class token
  long width = 0;
  long blocks = 0;
  long heads = 0;
  long key_value_heads = 0; ///< fewer than heads: grouped-query attention
  long head_width = 0;
  long attention_window = 0; ///< the largest number of states that one attends to; 0: all
  bool attention_bias = true;
  bool output_bias = true;      ///< of the matrix after attention
  bool fused_qkv = false;       ///< one matrix for query, key and value (GPT-2)
  bool eager_attention = false; ///< scores are written to memory; otherwise a fused kernel keeps them on the chip
  bool rotary = false;          ///< queries and keys are rotated by position
  double dropout = 0;           ///< 0: no dropout layers
  NormPlace norm_place = NormPlace::before;
  NormKind norm = NormKind::layer_norm;
  FeedForward feed_forward = FeedForward::plain;
  long inner_width = 0;
  bool feed_forward_bias = true;
  std::string activation = "gelu"; ///< name of its layer
  long experts = 0;                ///< of a mixture, each a feed-forward of inner_width; 0: none
  long experts_a_token = 0;
  long vocabulary = 0; ///< 0: the input is an image
  long positions = 0;  ///< rows of the learnt position table; 0: none
  long segments = 0;   ///< rows of the segment table
  bool embedding_norm = false;
  bool final_norm = false;
  bool tied_embeddings = true; ///< the output matrix is the embedding table
  Head head = Head::next_token;
  long predicted_words = 0; ///< positions that the head for masked tokens scores; 0: all of them, ungathered
  long classes = 0;
  long image = 0; ///< side in pixels
  long patch = 0;
  long channels = 0;
};

/// Makes the table; its `name`, `title` and `source` stay empty.
Model transformer_model(const TransformerShape& shape);

} // namespace ddlsim
