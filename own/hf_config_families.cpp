
#include "own/hf_config.hpp"
#include "sim/base/error.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace ddlsim {
namespace {

constexpr long most_blocks = 10'000;
constexpr long most_width = 1'000'000;
constexpr long most_experts = 4096;

using Heads = std::map<std::string, Head>;

/// Reads one config, key by key.
class Config {
public:
  Config(const JsonNode& root, std::vector<std::string>& notes) : root_(root), notes_(notes) {}

  long size(const char* key, long at_most = most_hf_size) const { return root_.integer(key, 1, at_most); }
  /// Whether the key is present. null counts as absent, as in the classes.
  bool has(const char* key) const { return root_.has(key) && !root_.value()[key].is_null(); }
  long size_or(const char* key, long fallback, long at_most = most_hf_size) const {
    return has(key) ? root_.integer(key, 1, at_most) : fallback;
  }
  bool flag(const char* key, bool fallback) const { return has(key) ? root_.boolean(key) : fallback; }
  double chance(const char* key, double fallback) const { return has(key) ? root_.number(key, 0, 1) : fallback; }
  /// Returns the activation without its variant: "gelu" for "gelu_new", "gelu_pytorch_tanh" and "quick_gelu".
  std::string activation(const char* key, const char* fallback) const {
    const auto text = root_.text_or(key, fallback);
    for (const char* known : {"gelu", "silu", "relu", "swish"})
      if (text.find(known) != std::string::npos) return known == std::string("swish") ? "silu" : known;
    root_.mistake_at(key, fmt::format("{} is not read; one of gelu, silu, relu expected", in_quotes(text)));
    return fallback;
  }
  /// Returns the head that the first entry of "architectures" means.
  Head head(const Heads& known, const std::string& usual) const {
    auto name = usual;
    const auto architectures = root_.texts_or_none("architectures");
    if (architectures.empty()) notes_.push_back(fmt::format("no architectures in the config: {} was taken", usual));
    if (!architectures.empty()) name = architectures.front();
    const auto found = known.find(name);
    if (found != known.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& one : known) names.push_back(one.first);
    root_.mistake_at("architectures", unknown_name_text("architecture that is read", name, names, names));
    return Head::none;
  }
  /// Returns the number of classes. Transformers' own default is two.
  long classes() const {
    if (has("id2label") && root_.value()["id2label"].is_object())
      return static_cast<long>(root_.value()["id2label"].size());
    if (!has("num_labels"))
      notes_.emplace_back("neither id2label nor num_labels in the config: two classes were taken");
    return size_or("num_labels", 2);
  }
  void divide(const char* key, long whole, long parts) const {
    if (parts > 0 && whole % parts != 0)
      root_.mistake_at(key, fmt::format("{} do not divide {}; give sizes that fit", parts, whole));
  }
  void mistake(const char* key, std::string what) const { root_.mistake_at(key, std::move(what)); }

private:
  const JsonNode& root_;
  std::vector<std::string>& notes_;
};

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

/// Reads Llama and similar families, with RMSNorm, rotary positions, grouped queries and SwiGLU.
TransformerShape llama_like(const Config& config, const std::string& name) {
  auto shape = usual_shape(config);
  shape.vocabulary = config.size("vocab_size");
  shape.key_value_heads = name == "Llama" ? config.size_or("num_key_value_heads", shape.heads)
                                          : config.size("num_key_value_heads"); // the defaults of the classes differ
  config.divide("num_key_value_heads", shape.heads, shape.key_value_heads);
  set_head_width(shape, config, "num_attention_heads");
  shape.attention_bias = shape.output_bias = config.flag("attention_bias", false);
  shape.feed_forward_bias = config.flag("mlp_bias", false);
  shape.attention_window = config.size_or("sliding_window", 0);
  shape.rotary = true;
  shape.norm = NormKind::rms_norm;
  shape.final_norm = true;
  shape.feed_forward = FeedForward::gated;
  shape.activation = config.activation("hidden_act", "silu");
  shape.tied_embeddings = config.flag("tie_word_embeddings", false);
  shape.head =
      config.head({{name + "ForCausalLM", Head::next_token}, {name + "Model", Head::none}}, name + "ForCausalLM");
  return shape;
}

TransformerShape mixtral(const Config& config) {
  auto shape = llama_like(config, "Mixtral");
  shape.experts = config.size("num_local_experts", most_experts);
  shape.experts_a_token = config.size("num_experts_per_tok", most_experts);
  if (shape.experts_a_token > shape.experts)
    config.mistake("num_experts_per_tok",
                   fmt::format("{} found of {} experts; give as many or fewer", shape.experts_a_token, shape.experts));
  return shape;
}

TransformerShape bert(const Config& config) {
  auto shape = usual_shape(config);
  shape.vocabulary = config.size("vocab_size");
  shape.positions = config.size("max_position_embeddings");
  shape.segments = config.size_or("type_vocab_size", 2);
  set_head_width(shape, config, "num_attention_heads");
  shape.norm_place = NormPlace::after;
  shape.embedding_norm = true;
  shape.dropout = config.chance("hidden_dropout_prob", 0.1);
  shape.activation = config.activation("hidden_act", "gelu");
  shape.tied_embeddings = config.flag("tie_word_embeddings", true);
  shape.head = config.head({{"BertModel", Head::pooler},
                            {"BertForMaskedLM", Head::masked_tokens},
                            {"BertForPreTraining", Head::masked_tokens_and_next_sentence},
                            {"BertForSequenceClassification", Head::classes_of_pooled_state}},
                           "BertModel");
  if (shape.head == Head::classes_of_pooled_state) shape.classes = config.classes();
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
  shape.attention_bias = config.flag("qkv_bias", true);
  shape.final_norm = true;
  shape.dropout = config.chance("hidden_dropout_prob", 0);
  shape.activation = config.activation("hidden_act", "gelu");
  shape.head = config.head({{"ViTForImageClassification", Head::classes}, {"ViTModel", Head::pooler}}, "ViTModel");
  if (shape.head == Head::classes) shape.classes = config.classes();
  return shape;
}

using Family = TransformerShape (*)(const Config&);

const std::map<std::string, Family>& families() {
  static const std::map<std::string, Family> known{
      {"bert", bert},
      {"gpt2", gpt2},
      {"llama", [](const Config& config) { return llama_like(config, "Llama"); }},
      {"mistral", [](const Config& config) { return llama_like(config, "Mistral"); }},
      {"mixtral", mixtral},
      {"vit", vit}};
  return known;
}

} // namespace

const std::vector<std::string>& hf_families() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& family : families()) all.push_back(family.first);
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
  const auto family = root.one_of("model_type", hf_families());
  const auto found = families().find(family);
  if (found == families().end()) return {};
  auto shape = found->second(Config(root, notes));
  shape.family = family;
  return shape;
}

} // namespace ddlsim
