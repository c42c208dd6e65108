#include "trainer/layers/frozen.hpp"

#include "trainer/layers/layer_definition.hpp"

#include <ATen/ops/conv2d.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

namespace ddltrain {
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
  definition.flop = flop_per_output_element(2); // multiply, add
  return make_layer(std::move(definition));
}

} // namespace ddltrain
