#include "trainer/layers/unit.hpp"

#include "trainer/layers/layer_definition.hpp"

#include <ATen/ops/log_softmax.h>

#include <stdexcept>
#include <utility>

namespace ddltrain {
Layer::Layer(LayerDefinition definition) : definition_(std::move(definition)) {
  for (const NamedTensor& parameter : definition_.parameters) {
    register_parameter(parameter.name, parameter.tensor);
  }
  for (const NamedTensor& buffer : definition_.buffers) {
    register_buffer(buffer.name, buffer.tensor);
  }
}

at::Tensor Layer::call(const Tensors& inputs) {
  at::Tensor output = definition_.compute(inputs, is_training());
  if (observer_) {
    observer_(*this, inputs, output);
  }
  return output;
}

void Layer::to(torch::Device device, bool non_blocking) {
  for (const auto& constant : definition_.constants) *constant = constant->to(device, non_blocking);
  Unit::to(device, non_blocking);
}

UnitPtr make_layer(LayerDefinition definition) {
  return std::make_shared<Layer>(std::move(definition));
}

at::Tensor call_layer(const UnitPtr& unit, const Tensors& inputs) {
  auto* layer = dynamic_cast<Layer*>(unit.get());
  if (layer == nullptr) {
    throw std::logic_error("several inputs for a unit that is not a layer");
  }
  return layer->call(inputs);
}

std::vector<std::pair<std::string, Layer*>> layers_of(const torch::nn::Module& network) {
  std::vector<std::pair<std::string, Layer*>> layers;
  for (const auto& item : network.named_modules("", /*include_self=*/false)) {
    if (auto* layer = dynamic_cast<Layer*>(item.value().get())) {
      layers.emplace_back(item.key(), layer);
    }
  }
  return layers;
}

namespace {

constexpr std::int64_t log_softmax_flop = 5; ///< operations per element: maximum, subtract, exponential, sum, subtract

} // namespace

UnitPtr log_softmax() {
  LayerDefinition definition;
  definition.kind = LayerKind::loss;
  definition.compute = [](const Tensors& inputs, bool) { return at::log_softmax(inputs.at(0), -1); };
  definition.flop = flop_per_output_element(log_softmax_flop);
  return make_layer(std::move(definition));
}

UnitPtr negative_log_likelihood() {
  LayerDefinition definition;
  definition.kind = LayerKind::loss;
  definition.compute = [](const Tensors& inputs, bool) {
    const at::Tensor& targets = inputs.at(1);
    const at::Tensor picked = inputs.at(0).gather(-1, targets.unsqueeze(-1));
    return picked.reshape({targets.size(0), -1}).mean(1).neg();
  };
  // The mean takes one addition for each picked value.
  definition.flop = [](const Tensors& inputs, const at::Tensor&) { return inputs.at(1).numel(); };
  return make_layer(std::move(definition));
}

} // namespace ddltrain
