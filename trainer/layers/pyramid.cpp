#include "trainer/layers/pyramid.hpp"

#include "trainer/layers/layer_definition.hpp"

#include <ATen/ops/batch_norm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

namespace ddltrain {
namespace {

/// Of a map, [batch, channels, side, side].
at::Tensor places_of(const at::Tensor& map) {
  return map.flatten(2).unsqueeze(-1);
}

/// The maps that stand in `places`, [batch, channels, side, side] each.
Tensors maps_in(const at::Tensor& places, const MapSides& sides) {
  Tensors maps;
  std::int64_t begin = 0;
  for (const std::int64_t side : sides) {
    maps.push_back(places.narrow(2, begin, side * side).reshape({places.size(0), places.size(1), side, side}));
    begin += side * side;
  }
  return maps;
}

at::Tensor joined(const Tensors& maps) {
  Tensors places;
  for (const at::Tensor& map : maps) {
    places.push_back(places_of(map));
  }
  return at::cat(places, /*dim=*/2);
}

/// What one map's norm is made of.
struct MapNorm {
  at::Tensor gamma, beta, mean, variance;
};

/// With statistics of an earlier training: subtract, divide, scale, shift.
constexpr std::int64_t kFixedNormFlop = 4;

} // namespace

UnitPtr join_places() {
  LayerDefinition definition;
  definition.kind = LayerKind::elementwise;
  definition.compute = [](const Tensors& inputs, bool) { return joined(inputs); };
  definition.flop = flop_per_output_element(0);
  return make_layer(std::move(definition));
}

UnitPtr shared_convolution(std::int64_t in_channels, std::int64_t out_channels, const MapSides& sides, bool bias) {
  const std::int64_t fan_in = in_channels * 3 * 3;
  const at::Tensor weight = he_uniform({out_channels, in_channels, 3, 3}, fan_in);
  const at::Tensor shift = bias ? at::zeros({out_channels}) : at::Tensor();
  LayerDefinition definition;
  definition.kind = LayerKind::conv3x3;
  definition.parameters = {{"weight", weight}};
  if (bias) {
    definition.parameters.push_back({"bias", shift});
  }
  definition.compute = [weight, shift, sides](const Tensors& inputs, bool) {
    Tensors maps = maps_in(inputs.at(0), sides);
    for (at::Tensor& map : maps) {
      map = at::conv2d(map, weight, shift, /*stride=*/1, /*padding=*/1);
    }
    return joined(maps);
  };
  definition.flop = flop_per_output_element(2 * fan_in);
  return make_layer(std::move(definition));
}

UnitPtr norm_of_each_map(std::int64_t channels, const MapSides& sides, double epsilon) {
  LayerDefinition definition;
  definition.kind = LayerKind::norm;
  std::vector<MapNorm> norms;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    norms.push_back({at::ones({channels}), at::zeros({channels}), at::zeros({channels}), at::ones({channels})});
    const std::string map = "map" + std::to_string(i) + "_";
    definition.parameters.push_back({map + "weight", norms.back().gamma});
    definition.parameters.push_back({map + "bias", norms.back().beta});
    definition.buffers.push_back({map + "mean", norms.back().mean});
    definition.buffers.push_back({map + "variance", norms.back().variance});
  }
  definition.compute = [norms, sides, epsilon](const Tensors& inputs, bool) {
    Tensors maps = maps_in(inputs.at(0), sides);
    for (std::size_t i = 0; i < maps.size(); ++i) {
      const MapNorm& norm = norms[i];
      maps[i] = at::batch_norm(maps[i], norm.gamma, norm.beta, norm.mean, norm.variance, /*training=*/false,
                               /*momentum=*/0, epsilon, /*cudnn_enabled=*/true);
    }
    return joined(maps);
  };
  definition.flop = flop_per_output_element(kFixedNormFlop);
  return make_layer(std::move(definition));
}

} // namespace ddltrain
