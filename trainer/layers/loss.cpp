#include "trainer/layers/loss.hpp"

#include "trainer/layers/layer_definition.hpp"

#include <ATen/ops/log_softmax.h>

namespace ddltrain {
namespace {

constexpr std::int64_t kLogSoftmaxFlop = 5; ///< an element: maximum, subtract, exponential, sum, subtract

} // namespace

UnitPtr log_softmax() {
  LayerDefinition definition;
  definition.kind = LayerKind::loss;
  definition.compute = [](const Tensors& inputs, bool) { return at::log_softmax(inputs.at(0), -1); };
  definition.flop = flop_per_output_element(kLogSoftmaxFlop);
  return make_layer(std::move(definition));
}

UnitPtr negative_log_likelihood() {
  LayerDefinition definition;
  definition.kind = LayerKind::loss;
  definition.compute = [](const Tensors& inputs, bool) {
    const at::Tensor& targets = inputs.at(1);
    const at::Tensor picked = inputs.at(0).gather(-1, targets.unsqueeze(-1));
    return picked.reshape({targets.size(0), -1}).mean(1).neg();
  };
  // One addition for each value picked: the mean.
  definition.flop = [](const Tensors& inputs, const at::Tensor&) { return inputs.at(1).numel(); };
  return make_layer(std::move(definition));
}

} // namespace ddltrain
