// Layers that join several tensors into one.

#include "trainer/layers/layer_definition.hpp"
#include "trainer/layers/units.hpp"

#include <ATen/ops/cat.h>

namespace ddltrain {

UnitPtr add() {
  LayerDefinition definition;
  definition.kind = LayerKind::elementwise;
  definition.compute = [](const Tensors& inputs, bool) {
    at::Tensor sum = inputs.at(0).add(inputs.at(1));
    for (std::size_t i = 2; i < inputs.size(); ++i) {
      sum = sum.add(inputs[i]);
    }
    return sum;
  };
  definition.flop = [](const Tensors& inputs, const at::Tensor& output) {
    return (static_cast<std::int64_t>(inputs.size()) - 1) * output.numel();
  };
  return make_layer(std::move(definition));
}

UnitPtr concatenate() {
  LayerDefinition definition;
  definition.kind = LayerKind::elementwise;
  definition.compute = [](const Tensors& inputs, bool) { return at::cat(inputs, /*dim=*/1); };
  definition.flop = flop_per_output_element(0);
  return make_layer(std::move(definition));
}

} // namespace ddltrain
