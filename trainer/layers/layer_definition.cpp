#include "trainer/layers/layer_definition.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <stdexcept>

namespace ddltrain {
std::string_view name_of(LayerKind kind) {
  switch (kind) {
  case LayerKind::conv1x1:
    return "conv1x1";
  case LayerKind::conv3x3:
    return "conv3x3";
  case LayerKind::conv:
    return "conv";
  case LayerKind::depthwise:
    return "depthwise";
  case LayerKind::linear:
    return "linear";
  case LayerKind::norm:
    return "norm";
  case LayerKind::activation:
    return "activation";
  case LayerKind::pool:
    return "pool";
  case LayerKind::embedding:
    return "embedding";
  case LayerKind::attention:
    return "attention";
  case LayerKind::elementwise:
    return "elementwise";
  case LayerKind::loss:
    return "loss";
  }
  throw std::logic_error("a layer kind without a name");
}

std::function<std::int64_t(const Tensors&, const at::Tensor&)> flop_per_output_element(std::int64_t each) {
  return [each](const Tensors&, const at::Tensor& output) { return each * output.numel(); };
}

LayerKind kind_of_filter(std::int64_t height, std::int64_t width) {
  if (height == 1 && width == 1) return LayerKind::conv1x1;
  return height == 3 && width == 3 ? LayerKind::conv3x3 : LayerKind::conv;
}

Filters square_filters(std::int64_t in_channels, std::int64_t out_channels, std::int64_t size) {
  return {he_uniform({out_channels, in_channels, size, size}, in_channels * size * size), at::zeros({out_channels})};
}

LayerDefinition layer_of(const Filters& filters, LayerKind kind) {
  LayerDefinition definition;
  definition.kind = kind;
  definition.parameters = {{"weight", filters.weight}, {"bias", filters.bias}};
  definition.flop = flop_per_output_element(2 * filters.weight.numel() / filters.weight.size(0));
  return definition;
}

at::Tensor he_uniform(const std::vector<std::int64_t>& shape, std::int64_t fan_in) {
  const at::NoGradGuard no_gradient;
  const double bound = std::sqrt(6.0 / static_cast<double>(fan_in));
  return at::empty(shape, at::TensorOptions().dtype(at::kFloat)).uniform_(-bound, bound);
}

} // namespace ddltrain
