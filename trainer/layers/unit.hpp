#pragma once
// The unit every network is composed of, and the layer: the unit that does work, seen by whoever observes the network.

#include "trainer/layers/layer_definition.hpp"
#include "trainer/layers/units.hpp"

#include <torch/nn/module.h>

namespace ddltrain {
/// Something with one input and one output: a layer, or a composition of units.
class Unit : public torch::nn::Module {
public:
  virtual at::Tensor forward(const at::Tensor& input) = 0;
};

class Layer;

/// Called after each layer call, in forward order, with the layer's inputs and its output.
using LayerObserver = std::function<void(const Layer& layer, const Tensors& inputs, const at::Tensor& output)>;

/// One layer of a network. All work of a network happens in layers, and every layer call passes through `call`.
class Layer final : public Unit {
public:
  explicit Layer(LayerDefinition definition);

  at::Tensor forward(const at::Tensor& input) override { return call({input}); }
  at::Tensor call(const Tensors& inputs);

  using Unit::to;
  void to(torch::Device device, bool non_blocking) override; ///< moves the constants too

  LayerKind kind() const { return definition_.kind; }
  /// Returns the forward work of the call that mapped `inputs` to `output`, for the whole batch.
  std::int64_t flop(const Tensors& inputs, const at::Tensor& output) const { return definition_.flop(inputs, output); }

  /// Sets the observer of each call; an empty function turns observation off.
  void observe(LayerObserver observer) { observer_ = std::move(observer); }

private:
  LayerDefinition definition_;
  LayerObserver observer_;
};

/// Calls a unit that is known to be a layer with several inputs. Throws std::logic_error when it is a composition.
at::Tensor call_layer(const UnitPtr& unit, const Tensors& inputs);

/// Returns every layer of a network with its path ("layer1.0.conv1"), in registration order.
std::vector<std::pair<std::string, Layer*>> layers_of(const torch::nn::Module& network);

// Cross entropy as two layers, in the way it runs.

/// Logarithm of the softmax over the last dimension.
UnitPtr log_softmax();

/// Inputs: log-probabilities [batch, ..., classes], target classes [batch, ...]. Output: mean negative log-likelihood
/// of each sample, [batch].
UnitPtr negative_log_likelihood();

} // namespace ddltrain
