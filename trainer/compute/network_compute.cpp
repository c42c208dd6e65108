#include "trainer/compute/network_compute.hpp"

#include "trainer/models/image_network.hpp"

namespace ddltrain {

std::vector<NamedTensor> trained_parameters(const Network& network) {
  std::vector<NamedTensor> parameters;
  for (const auto& item : network.named_parameters()) {
    parameters.push_back({item.key(), item.value()});
  }
  return parameters;
}

NetworkCompute::NetworkCompute(std::shared_ptr<Network> network, const Device& device, ddlsim::Precision precision)
    : network_(std::move(network)), device_(device), precision_(precision), parameters_(trained_parameters(*network_)) {
  network_->train();
  std::vector<at::Tensor> tensors;
  for (const NamedTensor& parameter : parameters_) tensors.push_back(parameter.tensor);
  hooks_ = std::make_unique<GradientReadyHooks>(tensors);
}

void NetworkCompute::forward(const Batch& batch) {
  const Autocast autocast(device_, precision_);
  loss_ = network_->losses(batch).mean();
}

void NetworkCompute::backward(const GradientReady& ready) {
  hooks_->listen(ready);
  (factor_ == 1 ? loss_ : loss_ * factor_).backward();
  hooks_->listen({});
  const at::Tensor value = loss_.detach().to(at::kFloat);
  loss_sum_ = loss_sum_.defined() ? loss_sum_ + value : value;
  loss_ = at::Tensor();
}

double NetworkCompute::take_loss() {
  const double sum = loss_sum_.defined() ? loss_sum_.item<double>() : 0;
  loss_sum_ = at::Tensor();
  return sum;
}

} // namespace ddltrain
