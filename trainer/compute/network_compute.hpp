#pragma once
#include "trainer/compute/compute_source.hpp"
#include "trainer/cuda/device.hpp"

#include <ATen/core/Tensor.h>

#include <memory>

namespace ddltrain {

class Network;

/// Real compute: LibTorch runs the network's forward and backward pass on the mean loss of the batch, on the device
/// that holds the network and the batch.
class NetworkCompute final : public ComputeSource {
public:
  /// Puts the network, which is on `device`, into training mode. `precision` is that of Autocast, for the forward pass
  /// and the loss only, as in frameworks.
  NetworkCompute(std::shared_ptr<Network> network, const Device& device, ddlsim::Precision precision);

  const std::vector<NamedTensor>& parameters() const override { return parameters_; }
  void forward(const Batch& batch) override;
  void backward(const GradientReady& ready) override;
  double take_loss() override;
  void scale_loss(double factor) override { factor_ = factor; }
  double time_scale() const override { return 1; }
  bool emulated() const override { return false; }

private:
  std::shared_ptr<Network> network_;
  const Device& device_;
  ddlsim::Precision precision_;
  std::vector<NamedTensor> parameters_;
  std::unique_ptr<GradientReadyHooks> hooks_;
  at::Tensor loss_; ///< mean loss of the last batch, between forward and backward
  at::Tensor loss_sum_;
  double factor_ = 1;
};

/// Returns a network's trained tensors with their paths, in the order of registration.
std::vector<NamedTensor> trained_parameters(const Network& network);

} // namespace ddltrain
