#include "trainer/layers/layer_definition.hpp"
#include "trainer/layers/units.hpp"

#include <ATen/ops/linear.h>
#include <ATen/ops/zeros.h>

namespace ddltrain {

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
