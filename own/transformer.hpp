#pragma once
// A transformer's layer table from its shape alone: parameters, forward FLOP and output bytes of every layer, by the
// arithmetic of its matrices. What a FLOP is and which output counts is as in the tables that `ddltrain describe` makes
// of LibTorch definitions: BERT-base from its shape is the shipped bert_base_seq128, layer by layer (a test).

#include "sim/formats/model.hpp"

#include <string>

namespace ddlsim {

/// Where a block's norms stand: before attention and feed-forward (GPT-2, Llama, ViT), or after their residual sums
/// (BERT).
enum class NormPlace { before, after };

enum class NormKind { layer_norm, rms_norm }; ///< RMSNorm has no bias and no mean

/// plain: two matrices with an activation between; gated: SwiGLU, silu(gate) x up, then down.
enum class FeedForward { plain, gated };

/// What is computed of the last states, and with which loss.
enum class Head {
  none,                            ///< a sum of the states stands for a loss that nobody named
  next_token,                      ///< the next token at every position
  masked_tokens,                   ///< BERT: the tokens at masked positions
  masked_tokens_and_next_sentence, ///< BERT's pre-training: besides, whether the second sentence follows
  pooler,                          ///< a matrix and tanh on the first state
  classes,                         ///< a class, of the first state
  classes_of_pooled_state,         ///< the same behind a pooler
};

struct TransformerShape {
  std::string family; ///< as its config calls it: "llama"
  long tokens = 0;    ///< states a sample, class token among them
  long width = 0;
  long blocks = 0;
  long heads = 0;
  long key_value_heads = 0; ///< fewer than heads: grouped-query attention
  long head_width = 0;
  long attention_window = 0; ///< states that one attends to at most; 0: all
  bool attention_bias = true;
  bool output_bias = true;      ///< of the matrix after attention
  bool fused_qkv = false;       ///< one matrix for query, key and value (GPT-2)
  bool eager_attention = false; ///< scores are written to memory; else a fused kernel keeps them on the chip
  bool rotary = false;          ///< positions turn queries and keys
  double dropout = 0;           ///< 0: no such layer
  NormPlace norm_place = NormPlace::before;
  NormKind norm = NormKind::layer_norm;
  FeedForward feed_forward = FeedForward::plain;
  long inner_width = 0;
  bool feed_forward_bias = true;
  std::string activation = "gelu"; ///< name of its layer
  long experts = 0;                ///< of a mixture, each a feed-forward of inner_width; 0: none
  long experts_a_token = 0;
  long vocabulary = 0; ///< 0: the input is an image
  long positions = 0;  ///< rows of the learnt table of positions; 0: none
  long segments = 0;   ///< rows of the table of segments
  bool embedding_norm = false;
  bool final_norm = false;
  bool tied_embeddings = true; ///< the output matrix is the embedding table
  Head head = Head::next_token;
  long predicted_words = 0; ///< positions that the head of masked tokens scores; 0: all of them, ungathered
  long classes = 0;
  long image = 0; ///< side, pixels
  long patch = 0;
  long channels = 0;
};

/// `name`, `title` and `source` are left open.
Model transformer_model(const TransformerShape& shape);

} // namespace ddlsim
