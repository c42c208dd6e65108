#include "trainer/layers/region.hpp"

#include "trainer/layers/layer_definition.hpp"

#include <ATen/core/Reduction.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/grid_sampler_2d.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/smooth_l1_loss.h>
#include <ATen/ops/stack.h>

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

constexpr std::int64_t kSamplesOfSide = 2; ///< maskrcnn_benchmark, POOLER_SAMPLING_RATIO
/// An output value: four samples of four multiplies and three adds, their mean.
constexpr std::int64_t kAlignFlop = 4 * 7 + 4;

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

/// [batch, boxes, channels, bins, bins].
at::Tensor align(const at::Tensor& map, const at::Tensor& boxes, std::int64_t bins) {
  const at::Tensor grid = sample_grid(boxes, kSamplesOfSide * bins);
  const at::Tensor sampled =
      at::grid_sampler_2d(map, grid, /*bilinear*/ 0, /*zeros outside*/ 0, /*align_corners=*/false);
  return at::avg_pool2d(sampled, kSamplesOfSide)
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
  definition.flop = flop_per_output_element(kAlignFlop);
  return make_layer(std::move(definition));
}

UnitPtr smooth_distance_loss() {
  constexpr std::int64_t kElementFlop = 5; // subtract, compare, square, halve, add
  LayerDefinition definition;
  definition.kind = LayerKind::loss;
  definition.compute = [](const Tensors& inputs, bool) {
    return at::smooth_l1_loss(inputs.at(0), inputs.at(1), at::Reduction::None).flatten(1).mean(1);
  };
  definition.flop = [](const Tensors& inputs, const at::Tensor&) { return kElementFlop * inputs.at(0).numel(); };
  return make_layer(std::move(definition));
}

UnitPtr binary_cross_entropy() {
  constexpr std::int64_t kElementFlop = 6; // exponential, add, logarithm, multiply, subtract, add
  LayerDefinition definition;
  definition.kind = LayerKind::loss;
  definition.compute = [](const Tensors& inputs, bool) {
    return at::binary_cross_entropy_with_logits(inputs.at(0), inputs.at(1), {}, {}, at::Reduction::None)
        .flatten(1)
        .mean(1);
  };
  definition.flop = [](const Tensors& inputs, const at::Tensor&) { return kElementFlop * inputs.at(0).numel(); };
  return make_layer(std::move(definition));
}

namespace {

constexpr double kFocalAlpha = 0.25; ///< of what is to be found; the rest counts 1 - alpha
/// Sigmoid 3, cross entropy 6, subtract, absolute value, square, weight 2, two products.
constexpr std::int64_t kFocalFlop = 16;

} // namespace

UnitPtr focal_loss() {
  LayerDefinition definition;
  definition.kind = LayerKind::loss;
  definition.compute = [](const Tensors& inputs, bool) {
    const at::Tensor& target = inputs.at(1);
    const at::Tensor entropy = at::binary_cross_entropy_with_logits(inputs.at(0), target, {}, {}, at::Reduction::None);
    const at::Tensor wrong = at::sigmoid(inputs.at(0)).sub(target).abs(); // 1 - p_t
    const at::Tensor weight = target.mul(2 * kFocalAlpha - 1).add(1 - kFocalAlpha);
    return entropy.mul(wrong.square()).mul(weight).flatten(1).mean(1);
  };
  definition.flop = [](const Tensors& inputs, const at::Tensor&) { return kFocalFlop * inputs.at(0).numel(); };
  return make_layer(std::move(definition));
}

} // namespace ddltrain
