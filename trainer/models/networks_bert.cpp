#include "trainer/layers/sequence.hpp"
#include "trainer/layers/unit.hpp"
#include "trainer/models/image_network.hpp"
#include "trainer/models/networks.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/zeros.h>

namespace ddltrain {
namespace {

// Sizes of google-research/bert: bert_config.json of BERT-base uncased.
constexpr std::int64_t bert_words = 30522;
constexpr std::int64_t bert_positions = 512;
constexpr std::int64_t bert_segments = 2;
constexpr std::int64_t feed_forward = 4; ///< inner width over width
constexpr double bert_dropout = 0.1;

/// The sum of the embeddings of words, segments and positions, normalised.
class Embeddings final : public torch::nn::Module {
public:
  Embeddings(const at::Tensor& words, std::int64_t width)
      : words_(register_module("word", embedding(words))),
        positions_(register_module("position", embedding(embedding_table(bert_positions, width)))),
        segments_(register_module("segment", embedding(embedding_table(bert_segments, width)))),
        add_(register_module("add", add())), norm_(register_module("norm", layer_norm(width))),
        dropout_(register_module("dropout", dropout(bert_dropout))) {}

  at::Tensor forward(const at::Tensor& words, const at::Tensor& segments) {
    const at::Tensor positions = at::arange(words.size(1), words.options()).expand_as(words);
    const at::Tensor sum =
        call_layer(add_, {words_->forward(words), positions_->forward(positions), segments_->forward(segments)});
    return dropout_->forward(norm_->forward(sum));
  }

private:
  UnitPtr words_, positions_, segments_, add_, norm_, dropout_;
};

class SelfAttention final : public torch::nn::Module {
public:
  explicit SelfAttention(const BertShape& shape)
      : query_(register_module("query", linear(shape.width, shape.width))),
        key_(register_module("key", linear(shape.width, shape.width))),
        value_(register_module("value", linear(shape.width, shape.width))),
        scores_(register_module("scores", attention_scores(shape.heads))),
        mask_(register_module("mask", attention_mask(shape.width / shape.heads))),
        softmax_(register_module("softmax", softmax())), dropout_(register_module("dropout", dropout(bert_dropout))),
        context_(register_module("context", attention_context(shape.heads))),
        output_(register_module("output", linear(shape.width, shape.width))) {}

  at::Tensor forward(const at::Tensor& states, const at::Tensor& mask) {
    const at::Tensor query = query_->forward(states);
    const at::Tensor key = key_->forward(states);
    const at::Tensor value = value_->forward(states);
    const at::Tensor scores = call_layer(mask_, {call_layer(scores_, {query, key}), mask});
    const at::Tensor probabilities = dropout_->forward(softmax_->forward(scores));
    return output_->forward(call_layer(context_, {probabilities, value}));
  }

private:
  UnitPtr query_, key_, value_, scores_, mask_, softmax_, dropout_, context_, output_;
};

/// Attention and feed-forward, each followed by dropout, residual sum and norm.
class EncoderBlock final : public torch::nn::Module {
public:
  explicit EncoderBlock(const BertShape& shape)
      : attention_(register_module("attention", std::make_shared<SelfAttention>(shape))),
        dropout1_(register_module("dropout1", dropout(bert_dropout))), add1_(register_module("add1", add())),
        norm1_(register_module("norm1", layer_norm(shape.width))),
        wide_(register_module("intermediate", linear(shape.width, feed_forward * shape.width))),
        gelu_(register_module("gelu", gelu())),
        narrow_(register_module("output", linear(feed_forward * shape.width, shape.width))),
        dropout2_(register_module("dropout2", dropout(bert_dropout))), add2_(register_module("add2", add())),
        norm2_(register_module("norm2", layer_norm(shape.width))) {}

  at::Tensor forward(const at::Tensor& states, const at::Tensor& mask) {
    const at::Tensor attended = dropout1_->forward(attention_->forward(states, mask));
    const at::Tensor middle = norm1_->forward(call_layer(add1_, {attended, states}));
    const at::Tensor wide = gelu_->forward(wide_->forward(middle));
    return norm2_->forward(call_layer(add2_, {dropout2_->forward(narrow_->forward(wide)), middle}));
  }

private:
  std::shared_ptr<SelfAttention> attention_;
  UnitPtr dropout1_, add1_, norm1_, wide_, gelu_, narrow_, dropout2_, add2_, norm2_;
};

/// Predicts the words at the masked positions.
class MaskedWordHead final : public torch::nn::Module {
public:
  MaskedWordHead(const BertShape& shape, const at::Tensor& words)
      : transform_(register_module("transform", linear(shape.width, shape.width))),
        gelu_(register_module("gelu", gelu())), norm_(register_module("norm", layer_norm(shape.width))),
        decoder_(register_module("decoder", tied_decoder(words))),
        log_softmax_(register_module("log_softmax", log_softmax())),
        loss_(register_module("loss", negative_log_likelihood())) {
    if (shape.predicted != 0) {
      pick_ = register_module("pick", pick_positions());
    }
  }

  at::Tensor losses(const at::Tensor& states, const at::Tensor& positions, const at::Tensor& targets) {
    const at::Tensor picked = pick_ ? call_layer(pick_, {states, positions}) : states;
    const at::Tensor scores = decoder_->forward(norm_->forward(gelu_->forward(transform_->forward(picked))));
    return call_layer(loss_, {log_softmax_->forward(scores), targets});
  }

private:
  UnitPtr pick_, transform_, gelu_, norm_, decoder_, log_softmax_, loss_;
};

/// Predicts from the first token whether the second sentence follows the first.
class NextSentenceHead final : public torch::nn::Module {
public:
  explicit NextSentenceHead(std::int64_t width)
      : pooler_(register_module("pooler", linear(width, width))), tanh_(register_module("tanh", tanh_activation())),
        classifier_(register_module("classifier", linear(width, 2))),
        log_softmax_(register_module("log_softmax", log_softmax())),
        loss_(register_module("loss", negative_log_likelihood())) {}

  at::Tensor losses(const at::Tensor& states, const at::Tensor& targets) {
    const at::Tensor pooled = tanh_->forward(pooler_->forward(states.select(1, 0)));
    return call_layer(loss_, {log_softmax_->forward(classifier_->forward(pooled)), targets});
  }

private:
  UnitPtr pooler_, tanh_, classifier_, log_softmax_, loss_;
};

/// Batch inputs: words, segments, mask, all [batch, tokens], and the positions to predict, [batch, predicted]. Targets:
/// the words at these positions, and whether the second sentence follows the first, [batch].
class Bert final : public Network {
public:
  explicit Bert(const BertShape& shape) : shape_(shape) {
    const at::Tensor words = embedding_table(bert_words, shape.width);
    embeddings_ = register_module("embeddings", std::make_shared<Embeddings>(words, shape.width));
    for (std::int64_t i = 0; i < shape.blocks; ++i) {
      blocks_.push_back(register_module("block" + std::to_string(i), std::make_shared<EncoderBlock>(shape)));
    }
    masked_words_ = register_module("masked_words", std::make_shared<MaskedWordHead>(shape, words));
    next_sentence_ = register_module("next_sentence", std::make_shared<NextSentenceHead>(shape.width));
  }

  Batch random_batch(std::int64_t samples) const override {
    const at::Tensor words = at::randint(bert_words, {samples, shape_.tokens}, at::kLong);
    const at::Tensor segments = at::randint(bert_segments, {samples, shape_.tokens}, at::kLong);
    const at::Tensor mask = at::ones({samples, shape_.tokens}, at::kLong);
    const std::int64_t predicted = shape_.predicted != 0 ? shape_.predicted : shape_.tokens;
    const at::Tensor positions = at::randint(shape_.tokens, {samples, predicted}, at::kLong);
    return {{words, segments, mask, positions},
            {at::randint(bert_words, {samples, predicted}, at::kLong), at::randint(2, {samples}, at::kLong)}};
  }

  at::Tensor losses(const Batch& batch) override {
    at::Tensor states = embeddings_->forward(batch.inputs.at(0), batch.inputs.at(1));
    for (const auto& block : blocks_) {
      states = block->forward(states, batch.inputs.at(2));
    }
    return masked_words_->losses(states, batch.inputs.at(3), batch.targets.at(0))
        .add(next_sentence_->losses(states, batch.targets.at(1)));
  }

private:
  BertShape shape_;
  std::shared_ptr<Embeddings> embeddings_;
  std::vector<std::shared_ptr<EncoderBlock>> blocks_;
  std::shared_ptr<MaskedWordHead> masked_words_;
  std::shared_ptr<NextSentenceHead> next_sentence_;
};

} // namespace

std::shared_ptr<Network> bert(const BertShape& shape) {
  return std::make_shared<Bert>(shape);
}

} // namespace ddltrain
