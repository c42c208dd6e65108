#include "trainer/layers/attention.hpp"

#include "trainer/layers/layer_definition.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/add.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>

#include <cmath>

namespace ddltrain {
namespace {

constexpr double kDeviation = 0.02; ///< google-research/bert, initializer_range

} // namespace

at::Tensor embedding_table(std::int64_t rows, std::int64_t width) {
  const at::NoGradGuard no_gradient;
  return at::empty({rows, width}, at::TensorOptions().dtype(at::kFloat)).normal_(0, kDeviation);
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

constexpr double kMaskedScore = -10000; ///< google-research/bert, modeling.py
constexpr std::int64_t kMaskFlop = 2;   ///< an element: scale, add the mask

/// [batch, tokens, width] -> [batch, heads, tokens, head width]; a view.
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
    const at::Tensor lowered = inputs.at(1).to(at::kFloat).sub(1).mul(-kMaskedScore).unsqueeze(1).unsqueeze(1);
    return at::add(lowered, inputs.at(0), scale);
  };
  definition.flop = flop_per_output_element(kMaskFlop);
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
