#include "own/hf_scans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

namespace ddlsim {
namespace {

/// What a family calls the sizes of its scans, and what it takes without them.
struct ScanKeys {
  const char* heads;
  const char* head_width;
  const char* groups;
  const char* state;
  const char* filter;
  const char* chunk;
  const char* filter_bias;
  const char* bias;
  long usual_heads = 128;
  long usual_groups = 8;
  long usual_state = 128;
  long usual_chunk = 256;
};

MambaShape scan_of(const HfKeys& config, const ScanKeys& keys) {
  constexpr long usual_width = 64;
  constexpr long usual_filter = 4;
  MambaShape scan;
  scan.heads = config.size_or(keys.heads, keys.usual_heads, most_width);
  scan.head_width = config.is_number(keys.head_width) ? config.size(keys.head_width, most_width) : usual_width;
  scan.groups = config.size_or(keys.groups, keys.usual_groups, most_width);
  scan.state = config.size_or(keys.state, keys.usual_state, most_width);
  scan.filter = config.size_or(keys.filter, usual_filter, most_width);
  scan.chunk = config.size_or(keys.chunk, keys.usual_chunk, most_width);
  scan.filter_bias = config.flag(keys.filter_bias, true);
  scan.bias = config.flag(keys.bias, false);
  config.divide(keys.groups, scan.heads, scan.groups);
  return scan;
}

/// What the three families share.
TransformerShape scanning_shape(const HfKeys& config, const std::string& classes) {
  TransformerShape shape;
  shape.width = config.size("hidden_size", most_width);
  shape.vocabulary = config.size("vocab_size");
  shape.norm = NormKind::rms_norm;
  shape.attention_bias = shape.output_bias = shape.feed_forward_bias = false;
  shape.final_norm = true;
  shape.tied_embeddings = config.flag("tie_word_embeddings", false);
  shape.head = config.head({{classes + "ForCausalLM", Head::next_token}, {classes + "Model", Head::none}},
                           classes + "ForCausalLM");
  return shape;
}

void set_attention(TransformerShape& shape, const HfKeys& config, const char* width_key) {
  shape.heads = config.size("num_attention_heads", most_width);
  shape.key_value_heads = config.size_or("num_key_value_heads", shape.heads, most_width);
  config.divide("num_key_value_heads", shape.heads, shape.key_value_heads);
  shape.head_width = config.size_or(width_key, shape.width / std::max(1L, shape.heads), most_width);
}

/// Letters of the blocks, from a text of letters or a list of words.
std::string letters_of(const HfKeys& config, const char* letters_key, const char* words_key) {
  static const std::map<std::string, char> letter_of{{"mamba", 'M'}, {"attention", '*'}, {"mlp", '-'}, {"moe", 'E'}};
  std::string letters;
  if (config.has(letters_key)) letters = config.text(letters_key);
  for (const char letter : letters) {
    if (std::string("M*-E").find(letter) != std::string::npos) continue;
    config.mistake(letters_key, fmt::format("\"{}\" found; only M, *, - and E name blocks", letter));
    return letters;
  }
  if (!letters.empty()) return letters;
  for (const auto& word : config.texts(words_key)) {
    const auto found = letter_of.find(word);
    if (found == letter_of.end())
      config.mistake(words_key, fmt::format("\"{}\" found; mamba, attention, mlp or moe expected", word));
    else
      letters += found->second;
  }
  return letters;
}

void set_latent_experts(TransformerShape& shape, const HfKeys& config) {
  shape.experts = config.size("n_routed_experts", most_experts);
  shape.experts_a_token = config.size("num_experts_per_tok", most_experts);
  shape.expert_width = config.size("moe_intermediate_size", 8 * most_width);
  shape.expert_state = config.size_or("moe_latent_size", 0, most_width);
  const long shared = config.whole_or("n_shared_experts", 1);
  if (shared > 0)
    shape.shared_width =
        shared * config.size_or("moe_shared_expert_intermediate_size", shape.expert_width, most_hf_size);
  if (shape.experts_a_token > shape.experts)
    config.mistake("num_experts_per_tok",
                   fmt::format("{} found of {} experts; give as many or fewer", shape.experts_a_token, shape.experts));
}

} // namespace

TransformerShape mamba2_shape(const HfKeys& config) {
  auto shape = scanning_shape(config, "Mamba2");
  shape.blocks = config.size("num_hidden_layers", most_blocks);
  shape.mamba = scan_of(config, {"num_heads", "head_dim", "n_groups", "state_size", "conv_kernel", "chunk_size",
                                 "use_conv_bias", "use_bias"});
  shape.mixers = std::string(static_cast<std::size_t>(std::max(0L, shape.blocks)), 'M');
  return shape;
}

TransformerShape bamba_shape(const HfKeys& config) {
  auto shape = scanning_shape(config, "Bamba");
  shape.blocks = config.size("num_hidden_layers", most_blocks);
  shape.inner_width = config.size("intermediate_size", 8 * most_width);
  set_attention(shape, config, "head_dim");
  ScanKeys keys{"mamba_n_heads", "mamba_d_head",     "mamba_n_groups",  "mamba_d_state",
                "mamba_d_conv",  "mamba_chunk_size", "mamba_conv_bias", "mamba_proj_bias"};
  keys.usual_groups = 1;
  keys.usual_state = 256;
  shape.mamba = scan_of(config, keys);
  shape.mixers = std::string(static_cast<std::size_t>(std::max(0L, shape.blocks)), 'M');
  for (const long block : config.wholes("attn_layer_indices")) {
    if (block >= shape.blocks)
      config.mistake("attn_layer_indices",
                     fmt::format("{} found of {} blocks; give smaller ones", block, shape.blocks));
    else
      shape.mixers[static_cast<std::size_t>(block)] = '*';
  }
  shape.behind_mixers = shape.rotary = true;
  shape.feed_forward = FeedForward::gated;
  shape.activation = config.activation("hidden_act", "silu");
  return shape;
}

TransformerShape nemotron_h_shape(const HfKeys& config) {
  auto shape = scanning_shape(config, "NemotronH");
  shape.mixers = letters_of(config, "hybrid_override_pattern", "layers_block_type");
  if (shape.mixers.empty())
    config.mistake("hybrid_override_pattern", "missing; give a letter a block, M, *, - or E, or \"layers_block_type\"");
  shape.blocks = static_cast<long>(shape.mixers.size());
  if (const long stated = config.size_or("num_hidden_layers", shape.blocks, most_blocks); stated != shape.blocks)
    config.mistake("num_hidden_layers",
                   fmt::format("{} found, and {} blocks are named; make them agree", stated, shape.blocks));
  set_attention(shape, config, config.has("head_dim") ? "head_dim" : "attention_head_dim");
  ScanKeys keys{"mamba_num_heads", "mamba_head_dim", "n_groups",      "ssm_state_size",
                "conv_kernel",     "chunk_size",     "use_conv_bias", "mamba_proj_bias"};
  keys.usual_chunk = 128;
  shape.mamba = scan_of(config, keys);
  shape.predicted_mixers = config.size_or("num_nextn_predict_layers", 0) > 0
                               ? letters_of(config, "mtp_hybrid_override_pattern", "mtp_layers_block_type")
                               : "";
  const auto all = shape.mixers + shape.predicted_mixers;
  if (all.find('-') != std::string::npos) shape.inner_width = config.size("intermediate_size", 8 * most_width);
  if (all.find('E') != std::string::npos) set_latent_experts(shape, config);
  shape.activation = config.activation("mlp_hidden_act", "relu2");
  return shape;
}

} // namespace ddlsim
