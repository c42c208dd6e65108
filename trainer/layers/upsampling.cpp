#include "trainer/layers/upsampling.hpp"

#include "trainer/layers/layer_definition.hpp"

#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/conv_transpose2d.h>
#include <ATen/ops/upsample_nearest2d.h>
#include <ATen/ops/zeros.h>

namespace ddltrain {

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
  definition.flop = flop_per_output_element(2 * in_channels); // one weight a channel meets each output value
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
