// Normalisations. Their work is counted operation by operation on one element in training: mean 1; variance 3
// (subtract, multiply, add); normalise 2; scale 1; shift 1.

#include "trainer/layers/layer_definition.hpp"
#include "trainer/layers/units.hpp"

#include <ATen/ops/avg_pool3d.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

namespace ddltrain {
namespace {

constexpr std::int64_t kNormaliseFlop = 1 + 3 + 2; ///< an element: mean, variance, (x - mean) / deviation
constexpr std::int64_t kScaleFlop = 1;
constexpr std::int64_t kShiftFlop = 1;
/// An element, beside one add a neighbour: square, alpha x sum, + k, power, divide.
constexpr std::int64_t kLocalResponseFlop = 5;
constexpr double kRunningMeanMomentum = 0.1;
constexpr double kLayerNormEpsilon = 1e-12; ///< BERT's (google-research/bert, modeling.py)

/// x / (k + alpha/n x sum of squares over n neighbouring channels)^beta, Krizhevsky et al. 2012, section 3.3.
at::Tensor respond(const at::Tensor& input, const LocalResponseNormOptions& options) {
  const std::int64_t n = options.neighbours;
  const at::Tensor squares = at::constant_pad_nd(input.mul(input).unsqueeze(1), {0, 0, 0, 0, n / 2, (n - 1) / 2});
  const at::Tensor mean = at::avg_pool3d(squares, {n, 1, 1}, /*stride=*/1).squeeze(1);
  return input.div(mean.mul(options.alpha).add(options.k).pow(options.beta));
}

} // namespace

UnitPtr batch_norm(std::int64_t channels, const BatchNormOptions& options) {
  const at::Tensor gamma = options.scale ? at::ones({channels}) : at::Tensor();
  const at::Tensor beta = at::zeros({channels});
  const at::Tensor mean = at::zeros({channels});
  const at::Tensor variance = at::ones({channels});

  LayerDefinition definition;
  definition.kind = LayerKind::norm;
  if (options.scale) {
    definition.parameters.push_back({"weight", gamma});
  }
  definition.parameters.push_back({"bias", beta});
  definition.buffers = {{"running_mean", mean}, {"running_var", variance}};
  definition.compute = [gamma, beta, mean, variance, options](const Tensors& inputs, bool training) {
    return at::batch_norm(inputs.at(0), gamma, beta, mean, variance, training, kRunningMeanMomentum, options.epsilon,
                          /*cudnn_enabled=*/true);
  };
  definition.flop = flop_per_output_element(kNormaliseFlop + kShiftFlop + (options.scale ? kScaleFlop : 0));
  return make_layer(std::move(definition));
}

UnitPtr layer_norm(std::int64_t width) {
  const at::Tensor gamma = at::ones({width});
  const at::Tensor beta = at::zeros({width});

  LayerDefinition definition;
  definition.kind = LayerKind::norm;
  definition.parameters = {{"weight", gamma}, {"bias", beta}};
  definition.compute = [gamma, beta, width](const Tensors& inputs, bool) {
    return at::layer_norm(inputs.at(0), {width}, gamma, beta, kLayerNormEpsilon);
  };
  definition.flop = flop_per_output_element(kNormaliseFlop + kScaleFlop + kShiftFlop);
  return make_layer(std::move(definition));
}

UnitPtr local_response_norm(const LocalResponseNormOptions& options) {
  LayerDefinition definition;
  definition.kind = LayerKind::norm;
  definition.compute = [options](const Tensors& inputs, bool) { return respond(inputs.at(0), options); };
  definition.flop = flop_per_output_element(options.neighbours + kLocalResponseFlop);
  return make_layer(std::move(definition));
}

} // namespace ddltrain
