#include "trainer/layers/unit.hpp"

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

} // namespace ddltrain
