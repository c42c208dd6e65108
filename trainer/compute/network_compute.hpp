#pragma once
#include "trainer/compute/compute_source.hpp"
#include "trainer/cuda/device.hpp"

#include <memory>

namespace ddltrain {

class Network;

/// Real compute: LibTorch runs the network's forward and backward pass on the mean loss of the batch, where the network
/// and the batch are.
class NetworkCompute final : public ComputeSource {
public:
  /// Puts the network, which is on `device`, in training mode. precision: as Autocast's, of the forward pass.
  NetworkCompute(std::shared_ptr<Network> network, const Device& device, std::string precision);

  const std::vector<NamedTensor>& parameters() const override { return parameters_; }
  PassTimes forward_backward(const Batch& batch, const GradientReady& ready) override;
  double loss() const override { return loss_; }
  void scale_loss(double factor) override { factor_ = factor; }
  double time_scale() const override { return 1; }
  bool emulated() const override { return false; }

private:
  std::shared_ptr<Network> network_;
  const Device& device_;
  std::string precision_;
  std::vector<NamedTensor> parameters_;
  std::unique_ptr<GradientReadyHooks> hooks_;
  double loss_ = 0;
  double factor_ = 1;
};

/// A network's trained tensors with their paths, in registration order.
std::vector<NamedTensor> trained_parameters(const Network& network);

} // namespace ddltrain
