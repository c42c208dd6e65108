#include "own/transformer.hpp"

#include "own/layer_list.hpp"

#include <algorithm>
#include <utility>

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
    const std::string block = shape_.decoder_blocks > 0 ? "encoder" : "block";
    for (long i = 0; i < shape_.blocks; ++i) add_block(block + std::to_string(i), static_cast<std::size_t>(i));
    if (shape_.decoder_blocks > 0) decode();
    if (shape_.final_norm) norm("final_norm");
    add_head();
    return layers_.take();
  }

private:
  double elements() const { return tokens_ * static_cast<double>(shape_.width); }

  void norm(const std::string& name) { norm(name, tokens_, shape_.width); }

  void norm(const std::string& name, double states, long width) {
    if (shape_.norm == NormKind::rms_norm) return layers_.rms_norm(name, states, width);
    layers_.layer_norm(name, states, width, shape_.norm == NormKind::layer_norm);
  }

  void embed() {
    if (shape_.vocabulary > 0) {
      const long word_width = shape_.word_width > 0 ? shape_.word_width : shape_.width;
      layers_.embedding("embeddings.word", tokens_, shape_.vocabulary, word_width);
      if (word_width != shape_.width) layers_.linear("embeddings.widen", tokens_, word_width, shape_.width, false);
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

  void add_block(const std::string& block, std::size_t number) {
    if (shape_.beside != BesideNorms::not_beside) return add_block_beside(block, number);
    const bool before = shape_.norm_place == NormPlace::before || shape_.norm_place == NormPlace::before_and_outputs;
    const bool outputs = shape_.norm_place == NormPlace::outputs || shape_.norm_place == NormPlace::before_and_outputs;
    if (before) norm(block + ".norm1");
    attend(block + ".attention", window_of(number));
    if (outputs) norm(block + ".attention_norm");
    layers_.dropout(block + ".dropout1", elements(), shape_.dropout);
    layers_.each(block + ".add1", "elementwise", elements(), add_flop);
    if (before || !outputs) norm(before ? block + ".norm2" : block + ".norm1");
    add_feed_forward(block, number);
    if (outputs) norm(block + ".feed_forward_norm");
    layers_.dropout(block + ".dropout2", elements(), shape_.dropout);
    layers_.each(block + ".add2", "elementwise", elements(), add_flop);
    if (shape_.norm_place == NormPlace::after) norm(block + ".norm2");
  }

  /// Adds the decoder. Its samples have as many tokens as the encoder's; its words are those of the encoder's table.
  void decode() {
    norm("encoder_norm");
    layers_.each("decoder_embeddings.word", "embedding", elements(), 0);
    for (long i = 0; i < shape_.decoder_blocks; ++i) {
      const auto block = "decoder" + std::to_string(i);
      norm(block + ".norm0");
      attend(block + ".attention", 0);
      layers_.dropout(block + ".dropout0", elements(), shape_.dropout);
      layers_.each(block + ".add0", "elementwise", elements(), add_flop);
      norm(block + ".norm1");
      attend(block + ".cross", 0);
      layers_.dropout(block + ".dropout1", elements(), shape_.dropout);
      layers_.each(block + ".add1", "elementwise", elements(), add_flop);
      norm(block + ".norm2");
      feed_forward(block, tokens_, shape_.inner_width, shape_.feed_forward_bias);
      layers_.dropout(block + ".dropout2", elements(), shape_.dropout);
      layers_.each(block + ".add2", "elementwise", elements(), add_flop);
    }
  }

  /// Attention and feed-forward both read the block's input; one sum takes both.
  void add_block_beside(const std::string& block, std::size_t number) {
    norm(block + ".norm1");
    attend(block + ".attention", window_of(number));
    layers_.dropout(block + ".dropout1", elements(), shape_.dropout);
    if (shape_.beside == BesideNorms::two) norm(block + ".norm2");
    add_feed_forward(block, number);
    layers_.dropout(block + ".dropout2", elements(), shape_.dropout);
    layers_.each(block + ".add", "elementwise", elements(), 2 * add_flop);
  }

  long window_of(std::size_t block) const {
    return shape_.windows.empty() ? shape_.attention_window : shape_.windows[block];
  }

  void add_feed_forward(const std::string& block, std::size_t number) {
    const bool mixes = shape_.blocks_of_experts.empty() ? shape_.experts > 0 : shape_.blocks_of_experts[number];
    if (mixes) return mix_experts(block);
    feed_forward(block, tokens_, shape_.inner_width, shape_.feed_forward_bias);
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
    add_query_norms(name, queries, keys);
    if (shape_.rotary)
      layers_.each(name + ".rotary", "elementwise", tokens_ * static_cast<double>(queries + keys), rotary_flop);
  }

  void add_query_norms(const std::string& name, long queries, long keys) {
    if (shape_.query_norm == QueryNorm::none) return;
    const bool of_a_head = shape_.query_norm == QueryNorm::of_a_head;
    for (const auto& [word, width] : {std::pair{".query_norm", queries}, {".key_norm", keys}}) {
      const long weights = of_a_head ? shape_.head_width : width;
      norm(name + word, tokens_ * static_cast<double>(width / std::max(1L, weights)), weights);
    }
  }

  /// Queries, and keys and values of the narrow state. The matrix that widens the state is two layers here.
  void project_latent(const std::string& name) {
    const auto& latent = shape_.latent;
    const long queries = shape_.heads * (latent.plain_size + latent.rotated_size);
    const bool narrow = latent.query_rank > 0;
    if (narrow) {
      layers_.linear(name + ".query_down", tokens_, shape_.width, latent.query_rank, shape_.attention_bias);
      norm(name + ".query_norm", tokens_, latent.query_rank);
    }
    layers_.linear(name + ".query", tokens_, narrow ? latent.query_rank : shape_.width, queries, false);
    layers_.linear(name + ".state", tokens_, shape_.width, latent.state_rank + latent.rotated_size,
                   shape_.attention_bias);
    norm(name + ".state_norm", tokens_, latent.state_rank);
    layers_.linear(name + ".key", tokens_, latent.state_rank, shape_.heads * latent.plain_size, false);
    layers_.linear(name + ".value", tokens_, latent.state_rank, shape_.heads * shape_.head_width, false);
    layers_.each(name + ".rotary", "elementwise", tokens_ * static_cast<double>(2 * queries), rotary_flop);
  }

  void attend(const std::string& name, long most_seen) {
    const bool is_latent = shape_.latent.state_rank > 0;
    if (is_latent)
      project_latent(name);
    else
      project(name);
    const double seen = most_seen > 0 ? std::min(tokens_, static_cast<double>(most_seen)) : tokens_;
    const double width = static_cast<double>(shape_.heads * shape_.head_width);
    const long score_size = is_latent ? shape_.latent.plain_size + shape_.latent.rotated_size : shape_.head_width;
    const double context_flop = 2 * tokens_ * seen * width;
    const double score_flop = 2 * tokens_ * seen * static_cast<double>(shape_.heads * score_size);
    if (shape_.eager_attention) {
      const double scores = static_cast<double>(shape_.heads) * tokens_ * seen;
      layers_.attention(name + ".scores", score_flop, scores);
      layers_.each(name + ".mask", "elementwise", scores, mask_flop);
      layers_.each(name + ".softmax", "activation", scores, activation_flop);
      layers_.dropout(name + ".dropout", scores, shape_.dropout);
      layers_.attention(name + ".context", context_flop, tokens_ * width);
    } else {
      layers_.attention(name + ".fused", score_flop + context_flop, tokens_ * width);
    }
    const bool has_positions = name == "encoder0.attention" || name == "decoder0.attention";
    if (shape_.relative_buckets > 0 && has_positions)
      layers_.add_parameter("positions", {shape_.relative_buckets, shape_.heads});
    if (shape_.sinks) layers_.add_parameter("sinks", {shape_.heads});
    layers_.linear(name + ".output", tokens_, shape_.heads * shape_.head_width, shape_.width, shape_.output_bias);
  }

  /// The feed-forward layers over `states` states of the sample.
  void feed_forward(const std::string& name, double states, long inner_width, bool bias) {
    const double inner = states * static_cast<double>(inner_width);
    const bool gated = shape_.feed_forward == FeedForward::gated;
    const std::string up = gated ? ".up" : ".intermediate";
    if (gated) layers_.linear(name + ".gate", states, shape_.width, inner_width, bias);
    layers_.linear(name + up, states, shape_.width, inner_width, bias);
    layers_.each(name + "." + shape_.activation, "activation", inner, activation_flop);
    if (gated) layers_.each(name + ".multiply", "elementwise", inner, 1);
    layers_.linear(name + ".output", states, inner_width, shape_.width, bias);
  }

  /// Adds the experts, all in one layer for each product. Each state is copied to the experts that it chooses.
  void mix_experts(const std::string& block) {
    const double chosen = static_cast<double>(shape_.experts_a_token);
    if (shape_.shared_width > 0) feed_forward(block + ".shared", tokens_, shape_.shared_width, shape_.expert_bias);
    if (shape_.shared_gate) {
      layers_.each(block + ".shared_weight", "elementwise", tokens_, 2 * static_cast<double>(shape_.width));
      layers_.add_parameter("weight", {shape_.width});
    }
    layers_.linear(block + ".router", tokens_, shape_.width, shape_.experts, shape_.expert_bias);
    if (shape_.router_correction) layers_.add_parameter("correction", {shape_.experts});
    layers_.each(block + ".router_softmax", "activation", tokens_ * static_cast<double>(shape_.experts),
                 activation_flop);
    layers_.set_experts(shape_.experts);
    feed_forward(block + ".experts", chosen * tokens_, shape_.expert_width, shape_.expert_bias);
    layers_.set_experts(0);
    layers_.each(block + ".combine", "elementwise", elements(), 2 * chosen);
  }

  void add_head() {
    switch (shape_.head) {
    case Head::none:
      return;
    case Head::next_token:
      return decode_tokens("words", tokens_, shape_.head_bias);
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
    const long width = shape_.word_width > 0 ? shape_.word_width : shape_.width;
    if (width != shape_.width) layers_.linear(name + ".narrow", states, shape_.width, width, false);
    if (shape_.tied_embeddings) {
      layers_.tied_linear(name + ".decoder", states, width, shape_.vocabulary, bias);
    } else {
      layers_.linear(name + ".decoder", states, width, shape_.vocabulary, bias);
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
