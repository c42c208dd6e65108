#include "trainer/layers/sequence.hpp"

#include "trainer/layers/layer_definition.hpp"

#include <ATen/core/Reduction.h>
#include <ATen/ops/conv1d.h>
#include <ATen/ops/ctc_loss.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

namespace ddltrain {

UnitPtr sequence_convolution(const SequenceConvolutionShape& shape) {
  const std::int64_t fan_in = shape.in_channels * shape.kernel;
  const at::Tensor weight = he_uniform({shape.out_channels, shape.in_channels, shape.kernel}, fan_in);
  const at::Tensor bias = shape.bias ? at::zeros({shape.out_channels}) : at::Tensor();

  LayerDefinition definition;
  definition.kind = shape.kernel == 1 ? LayerKind::conv1x1 : LayerKind::conv;
  definition.parameters.push_back({"weight", weight});
  if (shape.bias) {
    definition.parameters.push_back({"bias", bias});
  }
  definition.compute = [weight, bias, shape](const Tensors& inputs, bool) {
    const std::int64_t padding = shape.kernel / 2 * shape.dilation;
    return at::conv1d(inputs.at(0), weight, bias, shape.stride, padding, shape.dilation);
  };
  definition.flop = flop_per_output_element(2 * fan_in);
  return make_layer(std::move(definition));
}

namespace {

/// A state of the forward recursion: three exponentials, two adds, a logarithm, an add (Graves et al. 2006, section 4.1).
constexpr std::int64_t kStateFlop = 7;

} // namespace

UnitPtr temporal_classification() {
  LayerDefinition definition;
  definition.kind = LayerKind::loss;
  definition.compute = [](const Tensors& inputs, bool) {
    const at::Tensor scores = inputs.at(0).transpose(0, 1);
    const at::Tensor& letters = inputs.at(1);
    const at::Tensor frames = at::full({letters.size(0)}, scores.size(0), at::kLong);
    const at::Tensor lengths = at::full({letters.size(0)}, letters.size(1), at::kLong);
    return at::ctc_loss(scores, letters, frames, lengths, /*blank=*/scores.size(2) - 1, at::Reduction::None);
  };
  definition.flop = [](const Tensors& inputs, const at::Tensor&) {
    const at::Tensor& letters = inputs.at(1);
    return kStateFlop * inputs.at(0).size(1) * letters.size(0) * (2 * letters.size(1) + 1); // a blank between letters
  };
  return make_layer(std::move(definition));
}

} // namespace ddltrain
