#pragma once
// The source of a training step's compute: LibTorch, or waits that stand for a GPU.

#include "trainer/layers/layer_definition.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace ddltrain {
struct Batch;

/// Called when the gradient of parameter `index` is ready, while the backward pass continues.
using GradientReady = std::function<void(std::size_t index)>;

class ComputeSource {
public:
  ComputeSource() = default;
  ComputeSource(const ComputeSource&) = delete;
  ComputeSource& operator=(const ComputeSource&) = delete;
  virtual ~ComputeSource() = default;

  /// Returns the trained tensors, in one order on every rank (roughly forward). `grad()` of each is defined after the
  /// first backward pass.
  virtual const std::vector<NamedTensor>& parameters() const = 0;

  /// Runs one forward pass, up to the loss.
  virtual void forward(const Batch& batch) = 0;

  /// Runs the backward pass of the last forward pass, once. Gradients are added to those that are defined. Calls
  /// `ready` once for each parameter, in the computing thread, unless the function is empty.
  virtual void backward(const GradientReady& ready) = 0;

  /// Returns the sum of the mean losses of the batches since the last call; 0 where nothing is computed. Waits for the
  /// device.
  virtual double take_loss() = 0;

  /// Multiplies all gradients from now on by `factor`, as if the loss were larger. Does nothing where nothing is
  /// computed.
  virtual void scale_loss(double factor) { static_cast<void>(factor); }

  /// Returns the seconds of this machine's clock that stand for one second: 1 unless waits are stretched.
  virtual double time_scale() const = 0;

  /// Whether waits stand for compute, which records then state.
  virtual bool emulated() const = 0;
};

/// Reports when each parameter's gradient has been added up in a backward pass, by a hook after autograd's
/// AccumulateGrad node. The hooks stay as long as this object, and cost one call of an empty function while nobody
/// listens.
class GradientReadyHooks {
public:
  /// `parameters` are leaves that need gradients.
  explicit GradientReadyHooks(const std::vector<at::Tensor>& parameters);
  ~GradientReadyHooks();
  GradientReadyHooks(const GradientReadyHooks&) = delete;
  GradientReadyHooks& operator=(const GradientReadyHooks&) = delete;

  /// Sets the function that is called from now on. An empty function reports to nobody.
  void listen(GradientReady ready);

private:
  struct State;
  std::shared_ptr<State> state_;
};

} // namespace ddltrain
