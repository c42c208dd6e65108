
#include "own/hf_config.hpp"
#include "own/hf_families.hpp"
#include "own/hf_keys.hpp"
#include "own/hf_scans.hpp"
#include "sim/base/error.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace ddlsim {
namespace {

using Heads = HfHeads;
using Config = HfKeys;

/// Reads the keys that all families but GPT-2 share.
TransformerShape usual_shape(const Config& config) {
  TransformerShape shape;
  shape.width = config.size("hidden_size", most_width);
  shape.blocks = config.size("num_hidden_layers", most_blocks);
  shape.heads = config.size("num_attention_heads", most_width);
  shape.inner_width = config.size("intermediate_size", 8 * most_width);
  shape.key_value_heads = shape.heads;
  return shape;
}

/// Sets the width of a head. The heads share the width evenly unless the config states their own.
void set_head_width(TransformerShape& shape, const Config& config, const char* heads_key) {
  const bool own = config.has("head_dim");
  if (!own) config.divide(heads_key, shape.width, shape.heads);
  shape.head_width = own ? config.size("head_dim", most_width) : shape.width / std::max(1L, shape.heads);
}

TransformerShape gpt2(const Config& config) {
  TransformerShape shape;
  shape.width = config.size("n_embd", most_width);
  shape.blocks = config.size("n_layer", most_blocks);
  shape.heads = shape.key_value_heads = config.size("n_head", most_width);
  shape.inner_width = config.size_or("n_inner", 4 * shape.width, 8 * most_width);
  shape.vocabulary = config.size("vocab_size");
  shape.positions = config.has("n_positions") ? config.size("n_positions") : config.size("n_ctx");
  set_head_width(shape, config, "n_head");
  shape.fused_qkv = true;
  shape.final_norm = true;
  shape.dropout = config.chance("resid_pdrop", 0.1);
  shape.activation = config.activation("activation_function", "gelu_new");
  shape.tied_embeddings = config.flag("tie_word_embeddings", true);
  shape.head = config.head({{"GPT2LMHeadModel", Head::next_token}, {"GPT2Model", Head::none}}, "GPT2LMHeadModel");
  return shape;
}

void set_heads(TransformerShape& shape, const Config& config, const HfFamily& family) {
  shape.key_value_heads = shape.heads;
  if (!family.key_value_heads.empty()) {
    const long usual = family.usual_key_value_heads > 0 ? family.usual_key_value_heads : shape.heads;
    shape.key_value_heads = family.type == "mistral" || family.type == "mixtral" // their classes take 8 without the key
                                ? config.size("num_key_value_heads")
                                : config.size_or(family.key_value_heads, usual);
    config.divide("num_key_value_heads", shape.heads, shape.key_value_heads);
  }
  if (family.latent) {
    shape.latent = {config.size_or("q_lora_rank", 0, most_width), config.size("kv_lora_rank", most_width),
                    config.size("qk_rope_head_dim", most_width), config.size("qk_nope_head_dim", most_width)};
    shape.head_width = config.size("v_head_dim", most_width);
  } else if (family.usual_head_size > 0) {
    shape.head_width = config.size_or("head_dim", family.usual_head_size, most_width);
  } else {
    set_head_width(shape, config, std::string(family.heads).c_str());
  }
  shape.query_norm = config.is_on(family.query_norm_if) ? family.query_norm : QueryNorm::none;
}

/// Whether a block has the window, by the rule of its family.
bool has_window(long block, const Config& config, HfWindows rule, long pattern) {
  switch (rule) {
  case HfWindows::none:
    return false;
  case HfWindows::all:
    return true;
  case HfWindows::if_used:
    return config.flag("use_sliding_window", false) && block >= config.whole_or("max_window_layers", 0);
  case HfWindows::every_other:
    return block % 2 == 0;
  case HfWindows::but_each_nth:
    return (block + 1) % pattern != 0;
  }
  return false;
}

void set_windows(TransformerShape& shape, const Config& config, const HfFamily& family) {
  if (family.windows == HfWindows::none) return;
  const long window = config.size_or(family.window, 0);
  if (window == 0) return;
  if (family.windows == HfWindows::all) {
    shape.attention_window = window;
    return;
  }
  const auto types = config.texts("layer_types");
  if (!types.empty() && types.size() != static_cast<std::size_t>(shape.blocks))
    config.mistake("layer_types", fmt::format("{} found for {} blocks; give one a block", types.size(), shape.blocks));
  constexpr long usual_pattern = 6; // Gemma 3's
  const long pattern = config.size_or("sliding_window_pattern", usual_pattern);
  for (long block = 0; block < shape.blocks; ++block) {
    const auto number = static_cast<std::size_t>(block);
    const bool slides = number < types.size() ? types[number] == "sliding_attention"
                                              : has_window(block, config, family.windows, pattern);
    shape.windows.push_back(slides ? window : 0);
  }
}

void set_shared_expert(TransformerShape& shape, const Config& config, const HfExperts& keys) {
  if (keys.shared_always) shape.shared_width = shape.expert_width;
  if (!keys.shared_width.empty()) shape.shared_width = config.size(std::string(keys.shared_width).c_str());
  if (!keys.shared_count.empty())
    shape.shared_width = shape.expert_width * config.whole_or(std::string(keys.shared_count).c_str(), 0);
  shape.shared_gate = keys.shared_gate;
}

void set_experts(TransformerShape& shape, const Config& config, const HfFamily& family) {
  const auto& keys = family.experts;
  if (keys.count.empty()) return;
  shape.experts = config.size(std::string(keys.count).c_str(), most_experts);
  shape.experts_a_token = config.size("num_experts_per_tok", most_experts);
  shape.expert_width = config.size(std::string(keys.width).c_str(), 8 * most_width);
  shape.expert_bias = keys.bias;
  shape.router_correction = keys.correction;
  set_shared_expert(shape, config, keys);
  if (shape.experts_a_token > shape.experts)
    config.mistake("num_experts_per_tok",
                   fmt::format("{} found of {} experts; give as many or fewer", shape.experts_a_token, shape.experts));
  const long groups = config.size_or("n_group", 1, most_experts);
  config.divide("n_group", shape.experts, groups);
  const long first = keys.first_dense.empty() ? 0 : config.whole_or(std::string(keys.first_dense).c_str(), 0);
  const long step = keys.step.empty() ? 1 : config.size_or(keys.step, 1, most_blocks);
  const auto dense = config.wholes("mlp_only_layers");
  for (long block = 0; block < shape.blocks; ++block)
    shape.blocks_of_experts.push_back(block >= first && (block + 1) % step == 0 &&
                                      std::find(dense.begin(), dense.end(), block) == dense.end());
}

/// OPT's word table may be narrower than its states, and its first models have their norms behind the sums.
void set_what_opt_has(TransformerShape& shape, const Config& config) {
  shape.word_width = config.size_or("word_embed_proj_dim", shape.width, most_width);
  if (config.flag("do_layer_norm_before", true)) return;
  shape.norm_place = NormPlace::after;
  shape.final_norm = false;
}

/// Most of Llama 4's blocks attend to a part of the sequence only; each fourth attends to all (configuration_llama4.py).
void set_chunks(TransformerShape& shape, const Config& config) {
  constexpr long usual_chunk = 8192;
  constexpr long usual_interval = 4;
  shape.attention_chunk = config.size_or("attention_chunk_size", usual_chunk);
  const auto types = config.texts("layer_types");
  const long interval = config.size_or("no_rope_layer_interval", usual_interval, most_blocks);
  for (long block = 0; block < shape.blocks; ++block) {
    const auto number = static_cast<std::size_t>(block);
    shape.chunked.push_back(number < types.size() ? types[number] == "chunked_attention" : (block + 1) % interval != 0);
  }
}

/// Falcon has one key head for all queries, or in its newer form as many as it says, with two norms beside each other.
void set_what_falcon_has(TransformerShape& shape, const Config& config) {
  const bool is_new = config.flag("new_decoder_architecture", false);
  if (is_new) {
    shape.key_value_heads = config.size_or("num_kv_heads", shape.heads, most_width);
    config.divide("num_kv_heads", shape.heads, shape.key_value_heads);
    const bool two = config.size_or("num_ln_in_parallel_attn", 2, 2) == 2;
    shape.beside = two ? BesideNorms::two : BesideNorms::one;
  } else if (config.flag("multi_query", true)) {
    shape.key_value_heads = 1;
  }
  shape.rotary = !config.flag("alibi", false);
}

void set_feed_forward(TransformerShape& shape, const Config& config, const HfFamily& family) {
  const auto key = family.experts.dense_width.empty() ? family.inner_width : family.experts.dense_width;
  shape.inner_width = key.empty() ? family.inner_of_width * shape.width
                                  : config.size_unless(key, family.inner_of_width * shape.width, 8 * most_width);
  shape.feed_forward_bias = config.is_on(family.inner_bias);
  shape.feed_forward = family.gated ? FeedForward::gated : FeedForward::plain;
  shape.activation = std::string(family.usual_activation);
  if (!family.activation.empty())
    shape.activation =
        config.activation(std::string(family.activation).c_str(), std::string(family.usual_activation).c_str());
}

/// Reads a config by the row of its family.
TransformerShape by_row(const Config& config, const HfFamily& family) {
  TransformerShape shape;
  shape.width = config.size(std::string(family.width).c_str(), most_width);
  shape.blocks = config.size(std::string(family.blocks).c_str(), most_blocks);
  shape.heads = config.size_unless(family.heads, family.usual_heads, most_width);
  shape.vocabulary = config.size_unless("vocab_size", family.usual_vocabulary);
  if (!family.positions.empty())
    shape.positions = config.size(std::string(family.positions).c_str()) + family.more_positions;
  set_heads(shape, config, family);
  set_feed_forward(shape, config, family);
  set_windows(shape, config, family);
  set_experts(shape, config, family);
  shape.attention_bias = config.is_on(family.query_bias);
  shape.output_bias = config.is_on(family.output_bias);
  shape.norm_place = family.norms;
  shape.norm = family.norm;
  if (config.is_on(family.beside)) shape.beside = family.beside_norms;
  shape.fused_qkv = family.fused_qkv;
  shape.rotary = family.rotary;
  shape.sinks = family.sinks;
  shape.embedding_norm = family.embedding_norm;
  shape.final_norm = true;
  shape.head_bias = family.head_bias;
  if (!family.dropout.empty()) shape.dropout = config.chance(std::string(family.dropout).c_str(), family.usual_dropout);
  shape.tied_embeddings = config.is_on(family.tied);
  const std::string name(family.classes);
  shape.head =
      config.head({{name + "ForCausalLM", Head::next_token}, {name + "Model", Head::none}}, name + "ForCausalLM");
  if (family.type == "opt") set_what_opt_has(shape, config);
  if (family.type == "falcon") set_what_falcon_has(shape, config);
  if (family.type == "llama4_text") set_chunks(shape, config);
  return shape;
}

/// Reads what BERT and RoBERTa share; the heads differ.
TransformerShape bert_like(const Config& config, const Heads& heads, const std::string& usual_head) {
  auto shape = usual_shape(config);
  shape.vocabulary = config.size("vocab_size");
  shape.positions = config.size("max_position_embeddings");
  shape.segments = config.size_or("type_vocab_size", 2);
  set_head_width(shape, config, "num_attention_heads");
  shape.norm_place = NormPlace::after;
  shape.causal = false;
  shape.embedding_norm = true;
  shape.dropout = config.chance("hidden_dropout_prob", 0.1);
  shape.activation = config.activation("hidden_act", "gelu");
  shape.tied_embeddings = config.flag("tie_word_embeddings", true);
  shape.head = config.head(heads, usual_head);
  if (shape.head == Head::classes_of_pooled_state) shape.classes = config.classes();
  return shape;
}

TransformerShape bert(const Config& config) {
  return bert_like(config,
                   {{"BertModel", Head::pooler},
                    {"BertForMaskedLM", Head::masked_tokens},
                    {"BertForPreTraining", Head::masked_tokens_and_next_sentence},
                    {"BertForSequenceClassification", Head::classes_of_pooled_state}},
                   "BertModel");
}

/// RoBERTa's head of classes has a matrix and tanh on the first state, as BERT's pooler and head.
TransformerShape roberta(const Config& config) {
  return bert_like(config,
                   {{"RobertaModel", Head::pooler},
                    {"RobertaForMaskedLM", Head::masked_tokens},
                    {"RobertaForSequenceClassification", Head::classes_of_pooled_state}},
                   "RobertaModel");
}

TransformerShape t5(const Config& config) {
  TransformerShape shape;
  shape.width = config.size("d_model", most_width);
  shape.blocks = config.size("num_layers", most_blocks);
  shape.decoder_blocks = config.size_or("num_decoder_layers", shape.blocks, most_blocks);
  shape.heads = shape.key_value_heads = config.size("num_heads", most_width);
  shape.head_width = config.size("d_kv", most_width);
  shape.inner_width = config.size("d_ff", 8 * most_width);
  shape.vocabulary = config.size("vocab_size");
  constexpr long usual_buckets = 32;
  shape.causal = false;
  shape.relative_buckets = config.size_or("relative_attention_num_buckets", usual_buckets);
  shape.attention_bias = shape.output_bias = shape.feed_forward_bias = false;
  shape.norm = NormKind::rms_norm;
  shape.final_norm = true;
  shape.dropout = config.chance("dropout_rate", 0.1);
  shape.activation = config.activation("feed_forward_proj", "relu");
  if (config.begins("feed_forward_proj", "gated")) shape.feed_forward = FeedForward::gated;
  shape.tied_embeddings = config.flag("tie_word_embeddings", true);
  shape.head = config.head({{"T5ForConditionalGeneration", Head::next_token}, {"T5WithLMHeadModel", Head::next_token}},
                           "T5ForConditionalGeneration");
  return shape;
}

TransformerShape vit(const Config& config) {
  auto shape = usual_shape(config);
  shape.image = config.size_or("image_size", 224, most_width);
  shape.patch = config.size_or("patch_size", 16, most_width);
  shape.channels = config.size_or("num_channels", 3, most_width);
  config.divide("patch_size", shape.image, shape.patch);
  const long side = shape.image / std::max(1L, shape.patch);
  shape.tokens = shape.positions = side * side + 1; // the patches and the class token
  set_head_width(shape, config, "num_attention_heads");
  shape.causal = false;
  shape.attention_bias = config.flag("qkv_bias", true);
  shape.final_norm = true;
  shape.dropout = config.chance("hidden_dropout_prob", 0);
  shape.activation = config.activation("hidden_act", "gelu");
  shape.head = config.head({{"ViTForImageClassification", Head::classes}, {"ViTModel", Head::pooler}}, "ViTModel");
  if (shape.head == Head::classes) shape.classes = config.classes();
  return shape;
}

using Family = TransformerShape (*)(const Config&);

const std::map<std::string, Family>& other_families() {
  static const std::map<std::string, Family> known{
      {"bamba", bamba_shape},           {"bert", bert},       {"gpt2", gpt2}, {"mamba2", mamba2_shape},
      {"nemotron_h", nemotron_h_shape}, {"roberta", roberta}, {"t5", t5},     {"vit", vit}};
  return known;
}

const HfFamily* row_of(std::string_view type) {
  const auto rows = hf_family_rows();
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const HfFamily& row) { return row.type == type; });
  return found == rows.end() ? nullptr : &*found;
}

/// Reads a config whose type has a row or a function of its own; none: says which type is near.
TransformerShape shape_of_type(const JsonNode& root, const std::string& type, std::vector<std::string>& notes) {
  const Config config(root, notes);
  const auto other = other_families().find(type);
  if (other != other_families().end()) return other->second(config);
  if (const auto* row = row_of(type)) return by_row(config, *row);
  root.mistake_at("model_type", unknown_name_text("model type that is read", type, hf_families(), hf_families()) +
                                    "; of any other ddlsim.from_transformers of Python makes the table");
  return {};
}

bool is_known(const std::string& type) {
  return other_families().count(type) > 0 || row_of(type) != nullptr;
}

} // namespace

const std::vector<std::string>& hf_families() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& family : other_families()) all.push_back(family.first);
    for (const auto& row : hf_family_rows()) all.emplace_back(row.type);
    std::sort(all.begin(), all.end());
    return all;
  }();
  return names;
}

TransformerShape hf_shape(const JsonNode& root, std::vector<std::string>& notes) {
  if (!root.has("model_type")) {
    root.mistake(fmt::format("no \"model_type\" found; a config.json of Hugging Face Transformers expected, of {}",
                             join_names(hf_families())));
    return {};
  }
  const auto family = root.text("model_type");
  if (!is_known(family) && root.has("text_config") && root.value()["text_config"].is_object()) {
    notes.push_back(fmt::format("{} reads more than text; its text part alone was taken", in_quotes(family)));
    return hf_shape(root.at("text_config"), notes);
  }
  auto shape = shape_of_type(root, family, notes);
  shape.family = family;
  return shape;
}

} // namespace ddlsim
