#include "trainer/layers/layer_definition.hpp"
#include "trainer/layers/units.hpp"

#include <ATen/ops/avg_pool3d.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/full.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros.h>

namespace ddltrain {
namespace {

// Operations of an element. A transcendental function counts as one.
constexpr std::int64_t relu_flop = 1;
constexpr std::int64_t relu6_flop = 2; ///< two comparisons
constexpr std::int64_t gelu_flop = 5;  ///< x/2 (1 + erf(x / sqrt 2)): divide, erf, add, halve, multiply
constexpr std::int64_t tanh_flop = 1;
constexpr std::int64_t sigmoid_flop = 3; ///< exponential, add, divide
constexpr std::int64_t softmax_flop = 5; ///< maximum, subtract, exponential, sum, divide
constexpr std::int64_t dropout_flop = 2; ///< mask, scale
constexpr double relu6_ceiling = 6;

UnitPtr map_layer(LayerKind kind, std::int64_t flop_per_element, at::Tensor (*function)(const at::Tensor&)) {
  LayerDefinition definition;
  definition.kind = kind;
  definition.compute = [function](const Tensors& inputs, bool) { return function(inputs.at(0)); };
  definition.flop = flop_per_output_element(flop_per_element);
  return make_layer(std::move(definition));
}

} // namespace

UnitPtr relu() {
  return map_layer(LayerKind::activation, relu_flop, [](const at::Tensor& x) { return at::relu(x); });
}

UnitPtr relu6() {
  return map_layer(LayerKind::activation, relu6_flop,
                   [](const at::Tensor& x) { return at::clamp(x, 0, relu6_ceiling); });
}

UnitPtr gelu() {
  return map_layer(LayerKind::activation, gelu_flop, [](const at::Tensor& x) { return at::gelu(x); });
}

UnitPtr tanh_activation() {
  return map_layer(LayerKind::activation, tanh_flop, [](const at::Tensor& x) { return at::tanh(x); });
}

UnitPtr sigmoid() {
  return map_layer(LayerKind::activation, sigmoid_flop, [](const at::Tensor& x) { return at::sigmoid(x); });
}

UnitPtr softmax() {
  return map_layer(LayerKind::activation, softmax_flop, [](const at::Tensor& x) { return at::softmax(x, -1); });
}

UnitPtr dropout(double probability) {
  LayerDefinition definition;
  definition.kind = LayerKind::elementwise;
  definition.compute = [probability](const Tensors& inputs, bool training) {
    return at::dropout(inputs.at(0), probability, training);
  };
  definition.flop = flop_per_output_element(dropout_flop);
  return make_layer(std::move(definition));
}

// Normalisations. Their work is counted operation by operation on one element in training: mean 1; variance 3
// (subtract, multiply, add); normalise 2; scale 1; shift 1.

namespace {

constexpr std::int64_t normalise_flop = 1 + 3 + 2; ///< an element: mean, variance, (x - mean) / deviation
constexpr std::int64_t fixed_normalise_flop = 2;   ///< (x - mean) / deviation
constexpr std::int64_t scale_flop = 1;
constexpr std::int64_t shift_flop = 1;
/// Each element takes five operations (square, alpha x sum, + k, power, divide) and one addition per neighbour.
constexpr std::int64_t local_response_flop = 5;
constexpr double running_mean_momentum = 0.1;
constexpr double layer_norm_epsilon = 1e-12; ///< BERT's (google-research/bert, modeling.py)

/// x / (k + alpha/n x sum of squares over n neighbouring channels)^beta, Krizhevsky et al. 2012, section 3.3.
at::Tensor respond(const at::Tensor& input, const LocalResponseNormOptions& options) {
  const std::int64_t n = options.neighbours;
  const at::Tensor squares = at::constant_pad_nd(input.mul(input).unsqueeze(1), {0, 0, 0, 0, n / 2, (n - 1) / 2});
  const at::Tensor mean = at::avg_pool3d(squares, {n, 1, 1}, /*stride=*/1).squeeze(1);
  return input.div(mean.mul(options.alpha).add(options.k).pow(options.beta));
}

} // namespace

UnitPtr batch_norm(std::int64_t channels, const BatchNormOptions& options) {
  // Without a scale it is 1, which is no parameter: on CUDA at::batch_norm fails where a weight is not defined.
  const auto gamma = std::make_shared<at::Tensor>(at::full({channels}, options.scale ? options.first_scale : 1.0));
  const at::Tensor beta = at::zeros({channels});
  const at::Tensor mean = at::zeros({channels});
  const at::Tensor variance = at::ones({channels});

  LayerDefinition definition;
  definition.kind = LayerKind::norm;
  if (options.scale) {
    definition.parameters.push_back({"weight", *gamma});
  } else {
    definition.constants.push_back(gamma);
  }
  definition.parameters.push_back({"bias", beta});
  definition.buffers = {{"running_mean", mean}, {"running_var", variance}};
  definition.compute = [gamma, beta, mean, variance, options](const Tensors& inputs, bool training) {
    const bool measures = training && !options.fixed_statistics;
    return at::batch_norm(inputs.at(0), *gamma, beta, mean, variance, measures, running_mean_momentum, options.epsilon,
                          /*cudnn_enabled=*/true);
  };
  const std::int64_t normalise = options.fixed_statistics ? fixed_normalise_flop : normalise_flop;
  definition.flop = flop_per_output_element(normalise + shift_flop + (options.scale ? scale_flop : 0));
  return make_layer(std::move(definition));
}

UnitPtr layer_norm(std::int64_t width) {
  const at::Tensor gamma = at::ones({width});
  const at::Tensor beta = at::zeros({width});

  LayerDefinition definition;
  definition.kind = LayerKind::norm;
  definition.parameters = {{"weight", gamma}, {"bias", beta}};
  definition.compute = [gamma, beta, width](const Tensors& inputs, bool) {
    return at::layer_norm(inputs.at(0), {width}, gamma, beta, layer_norm_epsilon);
  };
  definition.flop = flop_per_output_element(normalise_flop + scale_flop + shift_flop);
  return make_layer(std::move(definition));
}

UnitPtr local_response_norm(const LocalResponseNormOptions& options) {
  LayerDefinition definition;
  definition.kind = LayerKind::norm;
  definition.compute = [options](const Tensors& inputs, bool) { return respond(inputs.at(0), options); };
  definition.flop = flop_per_output_element(options.neighbours + local_response_flop);
  return make_layer(std::move(definition));
}

UnitPtr linear(std::int64_t in_features, std::int64_t out_features) {
  const at::Tensor weight = he_uniform({out_features, in_features}, in_features);
  const at::Tensor bias = at::zeros({out_features});

  LayerDefinition definition;
  definition.kind = LayerKind::linear;
  definition.parameters = {{"weight", weight}, {"bias", bias}};
  definition.compute = [weight, bias](const Tensors& inputs, bool) { return at::linear(inputs.at(0), weight, bias); };
  definition.flop = flop_per_output_element(2 * in_features);
  return make_layer(std::move(definition));
}

} // namespace ddltrain
