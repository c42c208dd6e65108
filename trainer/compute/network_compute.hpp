#pragma once
#include "trainer/compute/gradient_ready.hpp"

#include <memory>

namespace ddltrain {

class Network;

/// Real compute: LibTorch runs the network's forward and backward pass on the mean loss of the batch.
class NetworkCompute final : public ComputeSource {
public:
  /// Puts the network in training mode.
  explicit NetworkCompute(std::shared_ptr<Network> network);

  const std::vector<NamedTensor>& parameters() const override { return parameters_; }
  PassTimes forward_backward(const Batch& batch, const GradientReady& ready) override;
  double loss() const override { return loss_; }
  double time_scale() const override { return 1; }
  bool emulated() const override { return false; }

private:
  std::shared_ptr<Network> network_;
  std::vector<NamedTensor> parameters_;
  std::unique_ptr<GradientReadyHooks> hooks_;
  double loss_ = 0;
};

/// A network's trained tensors with their paths, in registration order.
std::vector<NamedTensor> trained_parameters(const Network& network);

} // namespace ddltrain
