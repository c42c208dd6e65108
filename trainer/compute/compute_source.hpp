#pragma once
// Where a training step's compute comes from: LibTorch, or waits that stand for a GPU.

#include "trainer/layers/layer_definition.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace ddltrain {
struct Batch;

/// Told that the gradient of parameter `index` is ready, while the backward pass goes on.
using GradientReady = std::function<void(std::size_t index)>;

class ComputeSource {
public:
  ComputeSource() = default;
  ComputeSource(const ComputeSource&) = delete;
  ComputeSource& operator=(const ComputeSource&) = delete;
  virtual ~ComputeSource() = default;

  /// Trained tensors, in one order on every rank (roughly forward). `grad()` of each is defined after the first
  /// backward pass.
  virtual const std::vector<NamedTensor>& parameters() const = 0;

  /// One forward pass, up to the loss.
  virtual void forward(const Batch& batch) = 0;

  /// The backward pass of the last forward pass, once. Gradients are added to those that are defined. Calls `ready`
  /// once for each parameter, on the computing thread; an empty function is not called.
  virtual void backward(const GradientReady& ready) = 0;

  /// Sum of the mean losses of the batches since it was asked last; 0 where nothing is computed. Waits for the device.
  virtual double take_loss() = 0;

  /// Gradients from now on are those of the loss times `factor`; nothing where nothing is computed.
  virtual void scale_loss(double factor) { static_cast<void>(factor); }

  /// Seconds of this machine's clock that stand for one second: 1 unless waits are stretched.
  virtual double time_scale() const = 0;

  /// True when waits stand for compute; records then say so.
  virtual bool emulated() const = 0;
};

/// Tells when each parameter's gradient has been added up in a backward pass, by a hook after autograd's AccumulateGrad
/// node. The hooks stay until this is destroyed and cost one call of an empty function while nobody listens.
class GradientReadyHooks {
public:
  /// parameters: leaves that need gradients.
  explicit GradientReadyHooks(const std::vector<at::Tensor>& parameters);
  ~GradientReadyHooks();
  GradientReadyHooks(const GradientReadyHooks&) = delete;
  GradientReadyHooks& operator=(const GradientReadyHooks&) = delete;

  /// Whom to call from now on; an empty function tells nobody.
  void listen(GradientReady ready);

private:
  struct State;
  std::shared_ptr<State> state_;
};

} // namespace ddltrain
