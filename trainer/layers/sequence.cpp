#include "trainer/layers/sequence.hpp"

#include "trainer/layers/layer_definition.hpp"

#include <ATen/core/Reduction.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/add.h>
#include <ATen/ops/conv1d.h>
#include <ATen/ops/ctc_loss.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>

#include <cmath>

namespace ddltrain {
namespace {

constexpr double initial_deviation = 0.02; ///< initializer_range of google-research/bert

} // namespace

UnitPtr sequence_convolution(const SequenceConvolutionShape& shape) {
  const std::int64_t fan_in = shape.in_channels * shape.kernel;
  const at::Tensor weight = he_uniform({shape.out_channels, shape.in_channels, shape.kernel}, fan_in);
  const at::Tensor bias = shape.bias ? at::zeros({shape.out_channels}) : at::Tensor();

  LayerDefinition definition;
  definition.kind = shape.kernel == 1 ? LayerKind::conv1x1 : LayerKind::conv;
  definition.parameters.push_back({"weight", weight});
  if (shape.bias) {
    definition.parameters.push_back({"bias", bias});
  }
  definition.compute = [weight, bias, shape](const Tensors& inputs, bool) {
    const std::int64_t padding = shape.kernel / 2 * shape.dilation;
    return at::conv1d(inputs.at(0), weight, bias, shape.stride, padding, shape.dilation);
  };
  definition.flop = flop_per_output_element(2 * fan_in);
  return make_layer(std::move(definition));
}

namespace {

/// One state of the forward recursion takes three exponentials, two adds, a logarithm, and an add (Graves et al. 2006,
/// section 4.1).
constexpr std::int64_t state_flop = 7;

} // namespace

UnitPtr temporal_classification() {
  LayerDefinition definition;
  definition.kind = LayerKind::loss;
  definition.compute = [](const Tensors& inputs, bool) {
    const at::Tensor scores = inputs.at(0).transpose(0, 1);
    const at::Tensor& letters = inputs.at(1);
    const at::Tensor frames = at::full({letters.size(0)}, scores.size(0), at::kLong);
    const at::Tensor lengths = at::full({letters.size(0)}, letters.size(1), at::kLong);
    return at::ctc_loss(scores, letters, frames, lengths, /*blank=*/scores.size(2) - 1, at::Reduction::None);
  };
  definition.flop = [](const Tensors& inputs, const at::Tensor&) {
    const at::Tensor& letters = inputs.at(1);
    // there is a blank between two letters
    return state_flop * inputs.at(0).size(1) * letters.size(0) * (2 * letters.size(1) + 1);
  };
  return make_layer(std::move(definition));
}

at::Tensor embedding_table(std::int64_t rows, std::int64_t width) {
  const at::NoGradGuard no_gradient;
  return at::empty({rows, width}, at::TensorOptions().dtype(at::kFloat)).normal_(0, initial_deviation);
}

UnitPtr embedding(const at::Tensor& table) {
  LayerDefinition definition;
  definition.kind = LayerKind::embedding;
  definition.parameters = {{"weight", table}};
  definition.compute = [table](const Tensors& inputs, bool) { return at::embedding(table, inputs.at(0)); };
  definition.flop = flop_per_output_element(0);
  return make_layer(std::move(definition));
}

UnitPtr tied_decoder(const at::Tensor& table) {
  const at::Tensor bias = at::zeros({table.size(0)});
  LayerDefinition definition;
  definition.kind = LayerKind::linear;
  definition.parameters = {{"bias", bias}};
  definition.compute = [table, bias](const Tensors& inputs, bool) { return at::linear(inputs.at(0), table, bias); };
  definition.flop = flop_per_output_element(2 * table.size(1));
  return make_layer(std::move(definition));
}

namespace {

constexpr double masked_score = -10000; ///< value of google-research/bert, modeling.py
constexpr std::int64_t mask_flop = 2;   ///< operations per element: scale, add the mask

/// Returns a view: [batch, tokens, width] -> [batch, heads, tokens, head width].
at::Tensor split_heads(const at::Tensor& states, std::int64_t heads) {
  return states.view({states.size(0), states.size(1), heads, states.size(2) / heads}).transpose(1, 2);
}

} // namespace

UnitPtr attention_scores(std::int64_t heads) {
  LayerDefinition definition;
  definition.kind = LayerKind::attention;
  definition.compute = [heads](const Tensors& inputs, bool) {
    return at::matmul(split_heads(inputs.at(0), heads), split_heads(inputs.at(1), heads).transpose(-1, -2));
  };
  definition.flop = [heads](const Tensors& inputs, const at::Tensor& output) {
    return 2 * output.numel() * (inputs.at(0).size(2) / heads);
  };
  return make_layer(std::move(definition));
}

UnitPtr attention_mask(std::int64_t head_width) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(head_width));
  LayerDefinition definition;
  definition.kind = LayerKind::elementwise;
  definition.compute = [scale](const Tensors& inputs, bool) {
    const at::Tensor lowered = inputs.at(1).to(at::kFloat).sub(1).mul(-masked_score).unsqueeze(1).unsqueeze(1);
    return at::add(lowered, inputs.at(0), scale);
  };
  definition.flop = flop_per_output_element(mask_flop);
  return make_layer(std::move(definition));
}

UnitPtr attention_context(std::int64_t heads) {
  LayerDefinition definition;
  definition.kind = LayerKind::attention;
  definition.compute = [heads](const Tensors& inputs, bool) {
    return at::matmul(inputs.at(0), split_heads(inputs.at(1), heads)).transpose(1, 2).flatten(2);
  };
  definition.flop = [](const Tensors& inputs, const at::Tensor& output) {
    return 2 * output.numel() * inputs.at(0).size(-1);
  };
  return make_layer(std::move(definition));
}

UnitPtr pick_positions() {
  LayerDefinition definition;
  definition.kind = LayerKind::elementwise;
  definition.compute = [](const Tensors& inputs, bool) {
    const at::Tensor& states = inputs.at(0);
    return states.gather(1, inputs.at(1).unsqueeze(-1).expand({-1, -1, states.size(2)}));
  };
  definition.flop = flop_per_output_element(0);
  return make_layer(std::move(definition));
}

} // namespace ddltrain
