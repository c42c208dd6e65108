#include "trainer/layers/sequence.hpp"
#include "trainer/models/image_network.hpp"
#include "trainer/models/networks.hpp"

#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>

namespace ddltrain {
namespace {

constexpr std::int64_t speech_features = 64;
/// An utterance of 16.7 s has frames every 10 ms, filled up to a multiple of 16 (jasper10x5dr.toml: max_duration,
/// window_stride, pad_to).
constexpr std::int64_t speech_frames = 1680;
constexpr std::int64_t speech_symbols = 28; ///< the space, a to z, and the apostrophe
/// Letters of the longest utterance. Only the loss depends on it, which is little work.
constexpr std::int64_t text_letters = 240;
constexpr BatchNormOptions jasper_norm = {.epsilon = 0.001};

struct SpeechBlock {
  std::int64_t channels;
  std::int64_t kernel; ///< kernel size in frames
  double dropout;
};

/// Table 1 of the paper; the network has each row twice.
constexpr std::array<SpeechBlock, 5> speech_blocks = {
    {{256, 11, 0.2}, {384, 13, 0.2}, {512, 17, 0.2}, {640, 21, 0.3}, {768, 25, 0.3}}};
constexpr int sub_blocks = 5;

UnitPtr normed(const SequenceConvolutionShape& shape) {
  return chain({{"conv", sequence_convolution(shape)}, {"bn", batch_norm(shape.out_channels, jasper_norm)}});
}

UnitPtr sub_block(const SequenceConvolutionShape& shape, double probability) {
  return chain({{"conv", sequence_convolution(shape)},
                {"bn", batch_norm(shape.out_channels, jasper_norm)},
                {"relu", relu()},
                {"dropout", dropout(probability)}});
}

/// A block of five convolutions. The inputs of all earlier blocks and of this one are added before its last ReLU.
class DenseResidualBlock final : public torch::nn::Module {
public:
  DenseResidualBlock(const std::vector<std::int64_t>& inputs, const SpeechBlock& block) {
    Units steps;
    std::int64_t channels = inputs.back();
    for (int i = 1; i <= sub_blocks; ++i) {
      const SequenceConvolutionShape shape = {
          .in_channels = channels, .out_channels = block.channels, .kernel = block.kernel};
      steps.push_back({std::to_string(i), i < sub_blocks ? sub_block(shape, block.dropout) : normed(shape)});
      channels = block.channels;
    }
    main_ = register_module("main", chain(steps));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      shortcuts_.push_back(register_module("shortcut" + std::to_string(i + 1),
                                           normed({.in_channels = inputs[i], .out_channels = block.channels})));
    }
    add_ = register_module("add", add());
    out_ = register_module("out", chain({{"relu", relu()}, {"dropout", dropout(block.dropout)}}));
  }

  at::Tensor forward(const Tensors& inputs) {
    Tensors terms = {main_->forward(inputs.back())};
    for (std::size_t i = 0; i < shortcuts_.size(); ++i) {
      terms.push_back(shortcuts_[i]->forward(inputs.at(i)));
    }
    return out_->forward(call_layer(add_, terms));
  }

private:
  UnitPtr main_, add_, out_;
  std::vector<UnitPtr> shortcuts_;
};

/// Batch inputs: features [batch, 64, frames]; targets: letters [batch, letters].
class Jasper final : public Network {
public:
  Jasper() {
    std::vector<std::int64_t> inputs = {speech_blocks.front().channels};
    prologue_ = register_module(
        "prologue",
        sub_block({.in_channels = speech_features, .out_channels = inputs.back(), .kernel = 11, .stride = 2}, 0.2));
    for (std::size_t i = 0; i < 2 * speech_blocks.size(); ++i) {
      const SpeechBlock& block = speech_blocks.at(i / 2);
      blocks_.push_back(
          register_module("block" + std::to_string(i + 1), std::make_shared<DenseResidualBlock>(inputs, block)));
      inputs.push_back(block.channels);
    }
    epilogue_ = register_module(
        "epilogue",
        chain({{"1", sub_block({.in_channels = 768, .out_channels = 896, .kernel = 29, .dilation = 2}, 0.4)},
               {"2", sub_block({.in_channels = 896, .out_channels = 1024}, 0.4)},
               {"3", sequence_convolution({.in_channels = 1024, .out_channels = speech_symbols + 1, .bias = true})}}));
    log_softmax_ = register_module("log_softmax", log_softmax());
    loss_ = register_module("loss", temporal_classification());
  }

  Batch random_batch(std::int64_t samples) const override {
    return {{at::rand({samples, speech_features, speech_frames})},
            {at::randint(speech_symbols, {samples, text_letters}, at::kLong)}};
  }

  at::Tensor losses(const Batch& batch) override {
    Tensors values = {prologue_->forward(batch.inputs.at(0))};
    for (const auto& block : blocks_) {
      values.push_back(block->forward(values));
    }
    const at::Tensor scores = epilogue_->forward(values.back()).transpose(1, 2);
    return call_layer(loss_, {log_softmax_->forward(scores), batch.targets.at(0)});
  }

private:
  UnitPtr prologue_, epilogue_, log_softmax_, loss_;
  std::vector<std::shared_ptr<DenseResidualBlock>> blocks_;
};

} // namespace

std::shared_ptr<Network> jasper() {
  return std::make_shared<Jasper>();
}

} // namespace ddltrain
