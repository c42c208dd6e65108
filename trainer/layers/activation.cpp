#include "trainer/layers/layer_definition.hpp"
#include "trainer/layers/units.hpp"

#include <ATen/ops/clamp.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tanh.h>

namespace ddltrain {
namespace {

// Operations an element; a transcendental function counts as one.
constexpr std::int64_t kReluFlop = 1;
constexpr std::int64_t kRelu6Flop = 2; ///< two comparisons
constexpr std::int64_t kGeluFlop = 5;  ///< x/2 (1 + erf(x / sqrt 2)): divide, erf, add, halve, multiply
constexpr std::int64_t kTanhFlop = 1;
constexpr std::int64_t kSoftmaxFlop = 5; ///< maximum, subtract, exponential, sum, divide
constexpr std::int64_t kDropoutFlop = 2; ///< mask, scale
constexpr double kRelu6Ceiling = 6;

UnitPtr map_layer(LayerKind kind, std::int64_t flop_per_element, at::Tensor (*function)(const at::Tensor&)) {
  LayerDefinition definition;
  definition.kind = kind;
  definition.compute = [function](const Tensors& inputs, bool) { return function(inputs.at(0)); };
  definition.flop = flop_per_output_element(flop_per_element);
  return make_layer(std::move(definition));
}

} // namespace

UnitPtr relu() {
  return map_layer(LayerKind::activation, kReluFlop, [](const at::Tensor& x) { return at::relu(x); });
}

UnitPtr relu6() {
  return map_layer(LayerKind::activation, kRelu6Flop,
                   [](const at::Tensor& x) { return at::clamp(x, 0, kRelu6Ceiling); });
}

UnitPtr gelu() {
  return map_layer(LayerKind::activation, kGeluFlop, [](const at::Tensor& x) { return at::gelu(x); });
}

UnitPtr tanh_activation() {
  return map_layer(LayerKind::activation, kTanhFlop, [](const at::Tensor& x) { return at::tanh(x); });
}

UnitPtr softmax() {
  return map_layer(LayerKind::activation, kSoftmaxFlop, [](const at::Tensor& x) { return at::softmax(x, -1); });
}

UnitPtr dropout(double probability) {
  LayerDefinition definition;
  definition.kind = LayerKind::elementwise;
  definition.compute = [probability](const Tensors& inputs, bool training) {
    return at::dropout(inputs.at(0), probability, training);
  };
  definition.flop = flop_per_output_element(kDropoutFlop);
  return make_layer(std::move(definition));
}

} // namespace ddltrain
