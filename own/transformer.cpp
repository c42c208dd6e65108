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
constexpr std::size_t no_window = static_cast<std::size_t>(-1); ///< number of a block that sees all states

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
    if (!shape_.predicted_mixers.empty()) predict_further();
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
    if (!shape_.mixers.empty()) return add_mixer_block(block, shape_.mixers[number], number);
    if (shape_.beside != BesideNorms::not_beside) return add_block_beside(block, number);
    const bool before = shape_.norm_place == NormPlace::before || shape_.norm_place == NormPlace::before_and_outputs;
    const bool outputs = shape_.norm_place == NormPlace::outputs || shape_.norm_place == NormPlace::before_and_outputs;
    if (before) norm(block + ".norm1");
    attend(block + ".attention", number);
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

  /// A norm, what the letter names, and the sum with the block's input; and the same with feed-forward layers.
  void add_mixer_block(const std::string& block, char letter, std::size_t number) {
    norm(block + ".norm1");
    if (letter == 'M') scan(block + ".mamba");
    if (letter == '*') attend(block + ".attention", number);
    if (letter == '-') feed_forward(block, tokens_, shape_.inner_width, shape_.feed_forward_bias);
    if (letter == 'E') mix_experts(block);
    layers_.each(block + ".add1", "elementwise", elements(), add_flop);
    if (!shape_.behind_mixers) return;
    norm(block + ".norm2");
    feed_forward(block, tokens_, shape_.inner_width, shape_.feed_forward_bias);
    layers_.each(block + ".add2", "elementwise", elements(), add_flop);
  }

  /// Mamba 2: one matrix makes the gate, the inputs, what writes and reads the state, and the steps.
  void scan(const std::string& name) {
    const auto& mamba = shape_.mamba;
    const long inner = mamba.heads * mamba.head_width;
    const long channels = inner + 2 * mamba.groups * mamba.state;
    layers_.linear(name + ".in", tokens_, shape_.width, inner + channels + mamba.heads, mamba.bias);
    layers_.causal_filter(name + ".filter", tokens_, channels, mamba.filter, mamba.filter_bias);
    layers_.scan(name + ".scan", tokens_ * scan_flop(mamba), tokens_ * static_cast<double>(inner), mamba.heads);
    layers_.rms_norm(name + ".norm", tokens_, inner);
    layers_.linear(name + ".out", tokens_, inner, shape_.width, mamba.bias);
  }

  /// FLOP of a token by chunks (arXiv:2405.21060, section 6): what is read times what was written in its chunk, for each
  /// group; that times the inputs; and inputs to states, and states to outputs.
  static double scan_flop(const MambaShape& mamba) {
    const auto chunk = static_cast<double>(mamba.chunk);
    const auto state = static_cast<double>(mamba.state);
    const auto inner = static_cast<double>(mamba.heads * mamba.head_width);
    return 2 * chunk * state * static_cast<double>(mamba.groups) + 2 * chunk * inner + 4 * state * inner;
  }

  /// Adds blocks that predict the token behind the next one (DeepSeek V3, arXiv:2412.19437, section 2.2), with the words
  /// and the head of the model.
  void predict_further() {
    const std::string block = "further0";
    norm(block + ".word_norm");
    norm(block + ".state_norm");
    layers_.linear(block + ".narrow", tokens_, 2 * shape_.width, shape_.width, false);
    for (std::size_t i = 0; i < shape_.predicted_mixers.size(); ++i)
      add_mixer_block("further" + std::to_string(i + 1), shape_.predicted_mixers[i], i);
    norm("further.final_norm");
    layers_.tied_linear("further.decoder", tokens_, shape_.width, shape_.vocabulary, false);
    layers_.loss("further", tokens_, shape_.vocabulary);
  }

  /// Adds the decoder. Its samples have as many tokens as the encoder's; its words are those of the encoder's table.
  void decode() {
    norm("encoder_norm");
    layers_.each("decoder_embeddings.word", "embedding", elements(), 0);
    for (long i = 0; i < shape_.decoder_blocks; ++i) {
      const auto block = "decoder" + std::to_string(i);
      norm(block + ".norm0");
      attend(block + ".attention", no_window, true);
      layers_.dropout(block + ".dropout0", elements(), shape_.dropout);
      layers_.each(block + ".add0", "elementwise", elements(), add_flop);
      norm(block + ".norm1");
      attend(block + ".cross", no_window, false);
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
    attend(block + ".attention", number);
    layers_.dropout(block + ".dropout1", elements(), shape_.dropout);
    if (shape_.beside == BesideNorms::two) norm(block + ".norm2");
    add_feed_forward(block, number);
    layers_.dropout(block + ".dropout2", elements(), shape_.dropout);
    layers_.each(block + ".add", "elementwise", elements(), 2 * add_flop);
  }

  long window_of(std::size_t block) const {
    if (block == no_window) return 0;
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

  long chunk_of(std::size_t block) const {
    return block < shape_.chunked.size() && shape_.chunked[block] ? shape_.attention_chunk : 0;
  }

  AttentionFacts facts_of(std::size_t number, bool causal) const {
    const bool is_latent = shape_.latent.state_rank > 0;
    AttentionFacts facts;
    facts.head_width = shape_.head_width;
    if (is_latent) facts.key_width = shape_.latent.plain_size + shape_.latent.rotated_size;
    if (!is_latent && shape_.key_value_heads < shape_.heads) facts.key_heads = shape_.key_value_heads;
    facts.window = window_of(number);
    facts.chunk = chunk_of(number);
    facts.causal = causal;
    return facts;
  }

  void attend(const std::string& name, std::size_t number) { attend(name, number, shape_.causal); }

  void attend(const std::string& name, std::size_t number, bool causal) {
    const bool is_latent = shape_.latent.state_rank > 0;
    if (is_latent)
      project_latent(name);
    else
      project(name);
    const auto facts = facts_of(number, causal);
    const long most_seen = facts.window > 0 ? facts.window : facts.chunk;
    const double seen = most_seen > 0 ? std::min(tokens_, static_cast<double>(most_seen)) : tokens_;
    const double width = static_cast<double>(shape_.heads * shape_.head_width);
    const long score_size = is_latent ? facts.key_width : shape_.head_width;
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
      layers_.attention(name + ".fused", score_flop + context_flop, tokens_ * width, facts);
    }
    const bool has_positions = name == "encoder0.attention" || name == "decoder0.attention";
    if (shape_.relative_buckets > 0 && has_positions)
      layers_.add_parameter("positions", {shape_.relative_buckets, shape_.heads});
    if (shape_.sinks) layers_.add_parameter("sinks", {shape_.heads});
    layers_.linear(name + ".output", tokens_, shape_.heads * shape_.head_width, shape_.width, shape_.output_bias);
  }

  void feed_forward(const std::string& name, double states, long inner_width, bool bias) {
    feed_forward(name, states, inner_width, bias, shape_.width);
  }

  /// The feed-forward layers over `states` states of the sample.
  void feed_forward(const std::string& name, double states, long inner_width, bool bias, long width) {
    const double inner = states * static_cast<double>(inner_width);
    const bool gated = shape_.feed_forward == FeedForward::gated;
    const std::string up = gated ? ".up" : ".intermediate";
    if (gated) layers_.linear(name + ".gate", states, width, inner_width, bias);
    layers_.linear(name + up, states, width, inner_width, bias);
    layers_.each(name + "." + shape_.activation, "activation", inner, activation_flop);
    if (gated) layers_.each(name + ".multiply", "elementwise", inner, 1);
    layers_.linear(name + ".output", states, inner_width, width, bias);
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
    const long width = shape_.expert_state > 0 ? shape_.expert_state : shape_.width;
    if (width != shape_.width) layers_.linear(block + ".narrow", tokens_, shape_.width, width, false);
    layers_.set_experts(shape_.experts);
    feed_forward(block + ".experts", chosen * tokens_, shape_.expert_width, shape_.expert_bias, width);
    layers_.set_experts(0);
    layers_.each(block + ".combine", "elementwise", tokens_ * static_cast<double>(width), 2 * chosen);
    if (width != shape_.width) layers_.linear(block + ".widen", tokens_, width, shape_.width, false);
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
