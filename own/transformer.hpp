#pragma once
// Computes a transformer's layer table from its shape alone: parameters, forward FLOP and output bytes of every layer,
// by the arithmetic of its matrices. FLOP and outputs are counted as in the tables that `ddltrain describe` makes of
// LibTorch definitions. A test compares BERT-base from its shape with the shipped bert_base_seq128, layer by layer.

#include "sim/formats/model.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Where the norms of a block are: before attention and feed-forward (GPT-2, Llama, ViT), or after their residual sums
/// (BERT), on their outputs before the sums (OLMo 2), or both before them and on their outputs (Gemma 2).
enum class NormPlace { before, after, outputs, before_and_outputs };

/// Whether attention and feed-forward read the same states side by side, and how many norms these have.
enum class BesideNorms { not_beside, one, two };

/// Norms of queries and keys: none, one weight for each value of a head, or one for each value of all heads.
enum class QueryNorm { none, of_a_head, of_all_heads };

/// Attention whose keys and values are made of a narrow state (DeepSeek V2, arXiv:2405.04434). 0 wide: not latent.
struct LatentAttention {
  long query_rank = 0; ///< width of the narrow query; 0: queries are made of the states
  long state_rank = 0; ///< width of the state that keys and values are made of
  long rotated_size = 0;
  long plain_size = 0; ///< values of a query's and a key's head that are not rotated
};

/// A state space of Mamba 2 (Dao and Gu, arXiv:2405.21060). 0 heads: the model has none.
struct MambaShape {
  long heads = 0;
  long head_width = 0;
  long groups = 1;  ///< of heads that share what writes to the state and reads it
  long state = 0;   ///< values of the state for each value of a head
  long filter = 4;  ///< states that the filter before the scan sees
  long chunk = 256; ///< tokens that are multiplied as matrices
  bool filter_bias = true;
  bool bias = false; ///< of the matrices before and behind
};

/// RMSNorm has no bias and no mean; Cohere's norm has no bias.
enum class NormKind { layer_norm, rms_norm, layer_norm_without_bias };

/// The feed-forward layers. `plain` is two matrices with an activation between them. `gated` is SwiGLU: silu(gate) x
/// up, then down.
enum class FeedForward { plain, gated };

/// The output that is computed from the last states, with its loss.
enum class Head {
  none,          ///< no output; the sum of the states takes the place of an unknown loss
  next_token,    ///< the next token at every position
  masked_tokens, ///< BERT: the tokens at masked positions
  /// BERT's pre-training, which also predicts whether the second sentence follows the first
  masked_tokens_and_next_sentence,
  pooler,                  ///< a matrix and tanh on the first state
  classes,                 ///< a class, computed from the first state
  classes_of_pooled_state, ///< a class, computed from the pooler's output
};

struct TransformerShape {
  std::string family; ///< family in its config, such as "llama"
  long tokens = 0;    ///< number of states of a sample, with a class token
  long width = 0;
  long blocks = 0;
  long decoder_blocks = 0;   ///< blocks that also attend to the states after `blocks`, as T5's; 0: no such decoder
  long relative_buckets = 0; ///< rows of a table of relative positions in the first block, as T5's; 0: none
  long heads = 0;
  long key_value_heads = 0; ///< fewer than heads for grouped-query attention
  long head_width = 0;
  long attention_chunk = 0;  ///< states of a part of the sequence that attends to itself only; 0: all
  std::vector<bool> chunked; ///< whether each block has such parts; empty: none
  bool causal = true;        ///< whether a state attends to no later ones
  long attention_window = 0; ///< largest number of states that one state attends to; 0: all
  std::vector<long> windows; ///< the same for each block, where blocks differ; empty: they do not
  bool attention_bias = true;
  bool output_bias = true;      ///< whether the matrix after attention has a bias
  bool fused_qkv = false;       ///< whether one matrix computes query, key and value (GPT-2)
  bool eager_attention = false; ///< whether scores are written to memory; else a fused kernel keeps them on the chip
  bool rotary = false;          ///< whether queries and keys are rotated by position
  bool sinks = false;           ///< whether each head has a trained score for attending to nothing
  QueryNorm query_norm = QueryNorm::none;
  LatentAttention latent{};
  double dropout = 0; ///< chance of dropout; 0: there are no dropout layers
  NormPlace norm_place = NormPlace::before;
  BesideNorms beside = BesideNorms::not_beside;
  NormKind norm = NormKind::layer_norm;
  FeedForward feed_forward = FeedForward::plain;
  long inner_width = 0;
  bool feed_forward_bias = true;
  std::string activation = "gelu"; ///< name of the activation's layer
  long experts = 0;                ///< number of experts of a mixture, each a feed-forward of inner_width; 0: none
  long experts_a_token = 0;
  long expert_width = 0;               ///< inner width of an expert
  bool expert_bias = false;            ///< whether experts and router have biases
  bool router_correction = false;      ///< whether the router has a bias that it chooses with, as DeepSeek V3's
  long shared_width = 0;               ///< inner width of the experts that every token passes; 0: none
  bool shared_gate = false;            ///< whether a product of its own weighs the shared expert
  std::vector<bool> blocks_of_experts; ///< whether each block has experts; empty: all, where there are experts
  long expert_state = 0; ///< width of the narrow states that experts read and make (Nemotron 3's); 0: `width`
  MambaShape mamba{};
  /// What each block has: M a scan, * attention, - feed-forward layers, E experts (Nemotron-H's letters); empty:
  /// attention and feed-forward layers.
  std::string mixers;
  bool behind_mixers = false;   ///< whether feed-forward layers follow in each block (Bamba)
  std::string predicted_mixers; ///< blocks that predict one more token from states and its word; empty: none
  long vocabulary = 0;          ///< size of the vocabulary; 0: the input is an image
  long positions = 0;           ///< rows of the table of learnt positions; 0: none
  long segments = 0;            ///< rows of the table of segments
  bool embedding_norm = false;
  bool final_norm = false;
  long word_width = 0;         ///< width of the word table where a matrix makes states of it; 0: `width`
  bool head_bias = false;      ///< whether the output matrix has a bias
  bool tied_embeddings = true; ///< whether the output matrix is the embedding table
  Head head = Head::next_token;
  long predicted_words = 0; ///< number of positions that the head for masked tokens scores; 0: all of them, ungathered
  long classes = 0;
  long image = 0; ///< side of the image in pixels
  long patch = 0;
  long channels = 0;
};

/// Makes the table. Its `name`, `title` and `source` stay empty.
Model transformer_model(const TransformerShape& shape);

} // namespace ddlsim
