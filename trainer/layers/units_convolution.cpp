#include "trainer/layers/layer_definition.hpp"
#include "trainer/layers/units.hpp"

#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/conv_transpose2d.h>
#include <ATen/ops/full.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/upsample_nearest2d.h>
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

UnitPtr frozen_convolution(const ConvolutionShape& shape) {
  const std::int64_t fan_in = shape.in_channels * shape.kernel[0] * shape.kernel[1];
  const at::Tensor weight =
      he_uniform({shape.out_channels, shape.in_channels, shape.kernel[0], shape.kernel[1]}, fan_in);
  LayerDefinition definition;
  definition.kind = kind_of_filter(shape.kernel[0], shape.kernel[1]);
  definition.buffers = {{"weight", weight}};
  definition.compute = [weight, shape](const Tensors& inputs, bool) {
    return at::conv2d(inputs.at(0), weight, {}, shape.stride, shape.padding);
  };
  definition.flop = flop_per_output_element(2 * fan_in);
  return make_layer(std::move(definition));
}

UnitPtr frozen_norm(std::int64_t channels, double factor) {
  const at::Tensor factors = at::full({channels, 1, 1}, factor);
  const at::Tensor shifts = at::zeros({channels, 1, 1});
  LayerDefinition definition;
  definition.kind = LayerKind::norm;
  definition.buffers = {{"factor", factors}, {"shift", shifts}};
  definition.compute = [factors, shifts](const Tensors& inputs, bool) { return inputs.at(0).mul(factors).add(shifts); };
  definition.flop = flop_per_output_element(2); // a multiply and an add
  return make_layer(std::move(definition));
}

UnitPtr doubled() {
  LayerDefinition definition;
  definition.kind = LayerKind::elementwise;
  definition.compute = [](const Tensors& inputs, bool) {
    const at::Tensor& map = inputs.at(0);
    const Size2 size = {2 * map.size(2), 2 * map.size(3)};
    return at::upsample_nearest2d(map, size);
  };
  definition.flop = flop_per_output_element(0);
  return make_layer(std::move(definition));
}

UnitPtr doubling_convolution(std::int64_t in_channels, std::int64_t out_channels) {
  const at::Tensor weight = he_uniform({in_channels, out_channels, 2, 2}, in_channels);
  const at::Tensor bias = at::zeros({out_channels});
  LayerDefinition definition;
  definition.kind = LayerKind::conv;
  definition.parameters = {{"weight", weight}, {"bias", bias}};
  definition.compute = [weight, bias](const Tensors& inputs, bool) {
    return at::conv_transpose2d(inputs.at(0), weight, bias, /*stride=*/2);
  };
  definition.flop = flop_per_output_element(2 * in_channels); // each output value takes one weight per input channel
  return make_layer(std::move(definition));
}

UnitPtr convolution_2x2(std::int64_t in_channels, std::int64_t out_channels) {
  const auto filters = square_filters(in_channels, out_channels, 2);
  auto definition = layer_of(filters, LayerKind::conv);
  definition.compute = [filters](const Tensors& inputs, bool) {
    return at::conv2d(at::constant_pad_nd(inputs.at(0), {0, 1, 0, 1}), filters.weight, filters.bias);
  };
  return make_layer(std::move(definition));
}

} // namespace ddltrain
