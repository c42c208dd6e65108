#include "trainer/layers/layer_definition.hpp"
#include "trainer/layers/units.hpp"

#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/zeros.h>

namespace ddltrain {
namespace {

LayerKind kind_of(const ConvolutionShape& shape) {
  if (shape.groups > 1 && shape.groups == shape.in_channels) {
    return LayerKind::depthwise;
  }
  return kind_of_filter(shape.kernel[0], shape.kernel[1]);
}

} // namespace

UnitPtr convolution(const ConvolutionShape& shape) {
  const std::int64_t fan_in = shape.in_channels / shape.groups * shape.kernel[0] * shape.kernel[1];
  const at::Tensor weight =
      he_uniform({shape.out_channels, shape.in_channels / shape.groups, shape.kernel[0], shape.kernel[1]}, fan_in);
  const at::Tensor bias = shape.bias ? at::zeros({shape.out_channels}) : at::Tensor();

  LayerDefinition definition;
  definition.kind = kind_of(shape);
  definition.parameters.push_back({"weight", weight});
  if (shape.bias) {
    definition.parameters.push_back({"bias", bias});
  }
  definition.compute = [weight, bias, shape](const Tensors& inputs, bool) {
    return at::conv2d(inputs.at(0), weight, bias, shape.stride, shape.padding, Size2{1, 1}, shape.groups);
  };
  definition.flop = flop_per_output_element(2 * fan_in);
  return make_layer(std::move(definition));
}

// Pooling: one comparison or addition for each element of a window.

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
