#pragma once
// Families of Hugging Face Transformers whose models predict the next token: one row of data each.

#include "own/transformer.hpp"

#include <span>
#include <string_view>

namespace ddlsim {

/// A switch: the value under a key of the config, or what the class takes without it. "" has no key.
struct HfSwitch {
  std::string_view key{};
  bool usual = false;
};

/// Which blocks have the window, where the config does not list them under "layer_types".
enum class HfWindows {
  none,
  all,
  if_used,     ///< those from max_window_layers on, if use_sliding_window says so
  every_other, ///< the first, the third, ...
  but_each_nth ///< all but each sliding_window_pattern-th
};

/// Keys of experts; "" where the family has no such key.
struct HfExperts {
  std::string_view count{};        ///< "": no experts
  std::string_view width{};        ///< inner width of an expert
  std::string_view shared_width{}; ///< inner width of the shared expert
  std::string_view shared_count{}; ///< number of shared experts, each as wide as an expert
  std::string_view first_dense{};  ///< number of first blocks without experts
  std::string_view step{};         ///< each block of this number has experts
  std::string_view dense_width{};  ///< inner width of blocks without experts; "": the usual key
  bool shared_always = false;      ///< one shared expert, as wide as an expert
  bool shared_gate = false;
  bool bias = false;
  bool correction = false;
};

/// One family. Without other words a key or a value is that of Llama's class.
struct HfFamily {
  std::string_view type{};    ///< "model_type"
  std::string_view classes{}; ///< what the names of its classes begin with
  std::string_view width = "hidden_size";
  std::string_view blocks = "num_hidden_layers";
  std::string_view heads = "num_attention_heads";
  std::string_view key_value_heads = "num_key_value_heads"; ///< "": as many as heads
  std::string_view inner_width = "intermediate_size";
  long inner_of_width = 0; ///< inner width over width where the config says none; 0: it must
  std::string_view activation = "hidden_act";
  std::string_view usual_activation = "silu";
  std::string_view positions{}; ///< key of the rows of a table of learnt positions; "": none
  long more_positions = 0;      ///< rows of that table beyond the key's
  std::string_view dropout{};
  double usual_dropout = 0;
  HfSwitch query_bias{"attention_bias"};
  HfSwitch output_bias{"attention_bias"};
  HfSwitch inner_bias{"", false};
  HfSwitch tied{"tie_word_embeddings"};
  NormPlace norms = NormPlace::before;
  NormKind norm = NormKind::rms_norm;
  HfSwitch beside{"", false}; ///< attention and feed-forward beside each other
  BesideNorms beside_norms = BesideNorms::one;
  QueryNorm query_norm = QueryNorm::none;
  HfSwitch query_norm_if{"", true};
  bool gated = true;
  bool rotary = true;
  bool fused_qkv = false;
  bool embedding_norm = false;
  bool head_bias = false;
  bool latent = false;
  bool sinks = false;
  long usual_head_size = 0;  ///< where the config says none; 0: width over heads
  long usual_vocabulary = 0; ///< 0: the config must say
  long usual_heads = 0;
  long usual_key_value_heads = 0; ///< 0: as many as heads
  HfWindows windows = HfWindows::none;
  std::string_view window = "sliding_window";
  HfExperts experts{};
};

/// Returns the rows, in the order of their names. The source of each is configuration_TYPE.py and modeling_TYPE.py of
/// its folder in huggingface/transformers, src/transformers/models.
std::span<const HfFamily> hf_family_rows();

} // namespace ddlsim
