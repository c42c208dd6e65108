#include "own/transformer.hpp"

#include "own/layer_list.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

/// FLOP for each element of gelu, silu and softmax. `ddltrain describe` counts gelu and softmax in the same way.
constexpr double activation_flop = 5;
constexpr double add_flop = 1;
constexpr double mask_flop = 2;   ///< scaling and adding the mask
constexpr double rotary_flop = 3; ///< two products and their sum
constexpr double tanh_flop = 1;

class Builder {
public:
  explicit Builder(const TransformerShape& shape) : shape_(shape), tokens_(static_cast<double>(shape.tokens)) {}

  Model build() {
    embed();
    for (long i = 0; i < shape_.blocks; ++i) add_block("block" + std::to_string(i));
    if (shape_.final_norm) norm("final_norm");
    add_head();
    return layers_.take();
  }

private:
  double elements() const { return tokens_ * static_cast<double>(shape_.width); }

  void norm(const std::string& name) {
    if (shape_.norm == NormKind::rms_norm) {
      layers_.rms_norm(name, tokens_, shape_.width);
    } else {
      layers_.layer_norm(name, tokens_, shape_.width);
    }
  }

  void embed() {
    if (shape_.vocabulary > 0) {
      layers_.embedding("embeddings.word", tokens_, shape_.vocabulary, shape_.width);
      if (shape_.positions > 0) layers_.embedding("embeddings.position", tokens_, shape_.positions, shape_.width);
      if (shape_.segments > 0) layers_.embedding("embeddings.segment", tokens_, shape_.segments, shape_.width);
    } else {
      layers_.patches("embeddings.patch", tokens_ - 1, shape_.patch, shape_.channels, shape_.width);
      layers_.parameter("embeddings.class", {1, 1, shape_.width}, elements());
      layers_.parameter("embeddings.position", {1, shape_.positions, shape_.width}, elements());
    }
    // number of tables that are added to the word embeddings
    const int added = (shape_.positions > 0 ? 1 : 0) + (shape_.segments > 0 ? 1 : 0);
    if (shape_.vocabulary > 0 && added > 0) layers_.each("embeddings.add", "elementwise", elements(), add_flop * added);
    if (shape_.embedding_norm) norm("embeddings.norm");
    layers_.dropout("embeddings.dropout", elements(), shape_.dropout);
  }

  void add_block(const std::string& block) {
    const bool before = shape_.norm_place == NormPlace::before;
    if (before) norm(block + ".norm1");
    attend(block + ".attention");
    layers_.dropout(block + ".dropout1", elements(), shape_.dropout);
    layers_.each(block + ".add1", "elementwise", elements(), add_flop);
    norm(before ? block + ".norm2" : block + ".norm1");
    if (shape_.experts > 0) {
      mix_experts(block);
    } else {
      feed_forward(block, tokens_);
    }
    layers_.dropout(block + ".dropout2", elements(), shape_.dropout);
    layers_.each(block + ".add2", "elementwise", elements(), add_flop);
    if (!before) norm(block + ".norm2");
  }

  void project(const std::string& name) {
    const long queries = shape_.heads * shape_.head_width;
    const long keys = shape_.key_value_heads * shape_.head_width;
    if (shape_.fused_qkv) {
      layers_.linear(name + ".query_key_value", tokens_, shape_.width, queries + 2 * keys, shape_.attention_bias);
    } else {
      layers_.linear(name + ".query", tokens_, shape_.width, queries, shape_.attention_bias);
      layers_.linear(name + ".key", tokens_, shape_.width, keys, shape_.attention_bias);
      layers_.linear(name + ".value", tokens_, shape_.width, keys, shape_.attention_bias);
    }
    if (shape_.rotary)
      layers_.each(name + ".rotary", "elementwise", tokens_ * static_cast<double>(queries + keys), rotary_flop);
  }

  void attend(const std::string& name) {
    project(name);
    const double window = static_cast<double>(shape_.attention_window);
    const double seen = shape_.attention_window > 0 ? std::min(tokens_, window) : tokens_;
    const double width = static_cast<double>(shape_.heads * shape_.head_width);
    const double product_flop = 2 * tokens_ * seen * width;
    if (shape_.eager_attention) {
      const double scores = static_cast<double>(shape_.heads) * tokens_ * seen;
      layers_.attention(name + ".scores", product_flop, scores);
      layers_.each(name + ".mask", "elementwise", scores, mask_flop);
      layers_.each(name + ".softmax", "activation", scores, activation_flop);
      layers_.dropout(name + ".dropout", scores, shape_.dropout);
      layers_.attention(name + ".context", product_flop, tokens_ * width);
    } else {
      layers_.attention(name + ".fused", 2 * product_flop, tokens_ * width);
    }
    layers_.linear(name + ".output", tokens_, shape_.heads * shape_.head_width, shape_.width, shape_.output_bias);
  }

  /// The feed-forward layers over `states` states of the sample.
  void feed_forward(const std::string& name, double states) {
    const double inner = states * static_cast<double>(shape_.inner_width);
    const bool gated = shape_.feed_forward == FeedForward::gated;
    const std::string up = gated ? ".up" : ".intermediate";
    if (gated) layers_.linear(name + ".gate", states, shape_.width, shape_.inner_width, shape_.feed_forward_bias);
    layers_.linear(name + up, states, shape_.width, shape_.inner_width, shape_.feed_forward_bias);
    layers_.each(name + "." + shape_.activation, "activation", inner, activation_flop);
    if (gated) layers_.each(name + ".multiply", "elementwise", inner, 1);
    layers_.linear(name + ".output", states, shape_.inner_width, shape_.width, shape_.feed_forward_bias);
  }

  /// Adds the experts. Each gets its share of the states, as an even router would deal them out.
  void mix_experts(const std::string& block) {
    const double chosen = static_cast<double>(shape_.experts_a_token);
    const double share = chosen / static_cast<double>(shape_.experts);
    layers_.linear(block + ".router", tokens_, shape_.width, shape_.experts, false);
    layers_.each(block + ".router_softmax", "activation", tokens_ * static_cast<double>(shape_.experts),
                 activation_flop);
    for (long i = 0; i < shape_.experts; ++i) feed_forward(block + ".expert" + std::to_string(i), share * tokens_);
    layers_.each(block + ".combine", "elementwise", elements(), 2 * chosen);
  }

  void add_head() {
    switch (shape_.head) {
    case Head::none:
      return;
    case Head::next_token:
      return decode_tokens("words", tokens_, false);
    case Head::masked_tokens:
      return decode_masked_tokens();
    case Head::masked_tokens_and_next_sentence:
      decode_masked_tokens();
      pool("next_sentence");
      return classify("next_sentence", 2);
    case Head::pooler:
      return pool("pooler");
    case Head::classes:
      return classify("classes", shape_.classes);
    case Head::classes_of_pooled_state:
      pool("classes");
      return classify("classes", shape_.classes);
    }
  }

  void decode_tokens(const std::string& name, double states, bool bias) {
    if (shape_.tied_embeddings) {
      layers_.tied_linear(name + ".decoder", states, shape_.width, shape_.vocabulary, bias);
    } else {
      layers_.linear(name + ".decoder", states, shape_.width, shape_.vocabulary, bias);
    }
    layers_.loss(name, states, shape_.vocabulary);
  }

  void decode_masked_tokens() {
    const bool gathered = shape_.predicted_words > 0;
    const double states = gathered ? static_cast<double>(shape_.predicted_words) : tokens_;
    const double numbers = states * static_cast<double>(shape_.width);
    if (gathered) layers_.each("masked_words.pick", "elementwise", numbers, 0);
    layers_.linear("masked_words.transform", states, shape_.width, shape_.width, true);
    layers_.each("masked_words.gelu", "activation", numbers, activation_flop);
    layers_.layer_norm("masked_words.norm", states, shape_.width);
    decode_tokens("masked_words", states, true);
  }

  void pool(const std::string& name) {
    layers_.linear(name + ".pooler", 1, shape_.width, shape_.width, true);
    layers_.each(name + ".tanh", "activation", static_cast<double>(shape_.width), tanh_flop);
  }

  void classify(const std::string& name, long classes) {
    layers_.linear(name + ".classifier", 1, shape_.width, classes, true);
    layers_.loss(name, 1, classes);
  }

  const TransformerShape& shape_;
  double tokens_;
  LayerList layers_;
};

} // namespace

Model transformer_model(const TransformerShape& shape) {
  return Builder(shape).build();
}

} // namespace ddlsim
