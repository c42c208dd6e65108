#include "trainer/layers/embedding.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/zeros.h>

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

} // namespace ddltrain
