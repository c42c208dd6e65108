// Pooling: one comparison or addition for each element of a window.

#include "trainer/layers/layer_definition.hpp"
#include "trainer/layers/units.hpp"

#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/mean.h>

namespace ddltrain {

UnitPtr max_pool(const PoolShape& shape) {
  LayerDefinition definition;
  definition.kind = LayerKind::pool;
  definition.compute = [shape](const Tensors& inputs, bool) {
    return at::max_pool2d(inputs.at(0), shape.kernel, shape.stride, shape.padding, /*dilation=*/1, shape.ceil);
  };
  definition.flop = flop_per_output_element(shape.kernel * shape.kernel);
  return make_layer(std::move(definition));
}

UnitPtr average_pool(const PoolShape& shape) {
  LayerDefinition definition;
  definition.kind = LayerKind::pool;
  definition.compute = [shape](const Tensors& inputs, bool) {
    return at::avg_pool2d(inputs.at(0), shape.kernel, shape.stride, shape.padding, shape.ceil);
  };
  definition.flop = flop_per_output_element(shape.kernel * shape.kernel);
  return make_layer(std::move(definition));
}

UnitPtr global_average_pool() {
  LayerDefinition definition;
  definition.kind = LayerKind::pool;
  definition.compute = [](const Tensors& inputs, bool) { return at::mean(inputs.at(0), {2, 3}); };
  definition.flop = [](const Tensors& inputs, const at::Tensor&) { return inputs.at(0).numel(); };
  return make_layer(std::move(definition));
}

} // namespace ddltrain
