#include "trainer/layers/detection.hpp"

#include "trainer/layers/layer_definition.hpp"

#include <ATen/core/Reduction.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/grid_sampler_2d.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/smooth_l1_loss.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <c10/core/ScalarType.h>

namespace ddltrain {

UnitPtr convolution_of_maps(std::int64_t in_channels, std::int64_t out_channels) {
  const auto filters = square_filters(in_channels, out_channels, 3);
  auto definition = layer_of(filters, LayerKind::conv3x3);
  definition.compute = [filters](const Tensors& inputs, bool) {
    Tensors places;
    for (const at::Tensor& map : inputs) {
      places.push_back(at::conv2d(map, filters.weight, filters.bias, /*stride=*/1, /*padding=*/1).flatten(2));
    }
    return at::cat(places, /*dim=*/2).unsqueeze(-1);
  };
  return make_layer(std::move(definition));
}

namespace {

constexpr std::int64_t samples_of_side = 2; ///< maskrcnn_benchmark, POOLER_SAMPLING_RATIO
/// Each output value takes four samples, of four multiplies and three adds each, and their mean.
constexpr std::int64_t align_flop = 4 * 7 + 4;

/// Where the samples of the boxes lie, from -1 to 1: [batch, boxes x samples, samples, 2].
at::Tensor sample_grid(const at::Tensor& boxes, std::int64_t samples) {
  const at::Tensor steps = at::arange(samples, boxes.options()).add(0.5).div(samples).sub(0.5);
  const auto along = [&](std::int64_t axis) { // [batch, boxes, samples]
    return boxes.select(2, axis).unsqueeze(-1).add(boxes.select(2, axis + 2).unsqueeze(-1).mul(steps)).mul(2).sub(1);
  };
  const at::Tensor x = along(0).unsqueeze(2).expand({-1, -1, samples, -1});
  const at::Tensor y = along(1).unsqueeze(3).expand({-1, -1, -1, samples});
  return at::stack({x, y}, -1).flatten(1, 2);
}

/// The result is [batch, boxes, channels, bins, bins]. The function computes in the wider of the two types, as
/// PyTorch's autocast does: in half precision, samples of large maps would lie in other places.
at::Tensor align(const at::Tensor& map, const at::Tensor& boxes, std::int64_t bins) {
  const at::ScalarType wider = c10::promoteTypes(map.scalar_type(), boxes.scalar_type());
  const at::Tensor grid = sample_grid(boxes.to(wider), samples_of_side * bins);
  const at::Tensor sampled =
      at::grid_sampler_2d(map.to(wider), grid, /*bilinear*/ 0, /*zeros outside*/ 0, /*align_corners=*/false);
  return at::avg_pool2d(sampled, samples_of_side)
      .view({map.size(0), map.size(1), boxes.size(1), bins, bins})
      .transpose(1, 2);
}

} // namespace

UnitPtr region_align(std::int64_t bins) {
  LayerDefinition definition;
  definition.kind = LayerKind::pool;
  definition.compute = [bins](const Tensors& inputs, bool) {
    const std::int64_t maps = static_cast<std::int64_t>(inputs.size()) - 1;
    const auto dealt = inputs.at(0).chunk(maps, /*dim=*/1);
    Tensors aligned;
    for (std::size_t i = 0; i < dealt.size(); ++i) {
      aligned.push_back(align(inputs.at(i + 1), dealt[i], bins));
    }
    return at::cat(aligned, /*dim=*/1).flatten(0, 1);
  };
  definition.flop = flop_per_output_element(align_flop);
  return make_layer(std::move(definition));
}

UnitPtr smooth_distance_loss() {
  constexpr std::int64_t element_flop = 5; // subtract, compare, square, halve, add
  LayerDefinition definition;
  definition.kind = LayerKind::loss;
  definition.compute = [](const Tensors& inputs, bool) {
    return at::smooth_l1_loss(inputs.at(0), inputs.at(1), at::Reduction::None).flatten(1).mean(1);
  };
  definition.flop = [](const Tensors& inputs, const at::Tensor&) { return element_flop * inputs.at(0).numel(); };
  return make_layer(std::move(definition));
}

UnitPtr binary_cross_entropy() {
  constexpr std::int64_t element_flop = 6; // exponential, add, logarithm, multiply, subtract, add
  LayerDefinition definition;
  definition.kind = LayerKind::loss;
  definition.compute = [](const Tensors& inputs, bool) {
    return at::binary_cross_entropy_with_logits(inputs.at(0), inputs.at(1), {}, {}, at::Reduction::None)
        .flatten(1)
        .mean(1);
  };
  definition.flop = [](const Tensors& inputs, const at::Tensor&) { return element_flop * inputs.at(0).numel(); };
  return make_layer(std::move(definition));
}

namespace {

constexpr double focal_alpha = 0.25; ///< weight of the objects; the background has the weight 1 - alpha
/// Sigmoid 3, cross entropy 6, subtract, absolute value, square, weight 2, two products.
constexpr std::int64_t focal_flop = 16;

} // namespace

UnitPtr focal_loss() {
  LayerDefinition definition;
  definition.kind = LayerKind::loss;
  definition.compute = [](const Tensors& inputs, bool) {
    const at::Tensor& target = inputs.at(1);
    const at::Tensor entropy = at::binary_cross_entropy_with_logits(inputs.at(0), target, {}, {}, at::Reduction::None);
    const at::Tensor wrong = at::sigmoid(inputs.at(0)).sub(target).abs(); // 1 - p_t
    const at::Tensor weight = target.mul(2 * focal_alpha - 1).add(1 - focal_alpha);
    return entropy.mul(wrong.square()).mul(weight).flatten(1).mean(1);
  };
  definition.flop = [](const Tensors& inputs, const at::Tensor&) { return focal_flop * inputs.at(0).numel(); };
  return make_layer(std::move(definition));
}

namespace {

/// The argument is a map, [batch, channels, side, side].
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

/// The tensors of the norm of one map.
struct MapNorm {
  at::Tensor gamma, beta, mean, variance;
};

/// With statistics of an earlier training the work is: subtract, divide, scale, shift.
constexpr std::int64_t fixed_norm_flop = 4;

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
  definition.flop = flop_per_output_element(fixed_norm_flop);
  return make_layer(std::move(definition));
}

} // namespace ddltrain
