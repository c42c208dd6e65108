#include "trainer/compute/network_compute.hpp"

#include "trainer/models/image_network.hpp"
#include "trainer/records/statistics.hpp"

namespace ddltrain {

std::vector<NamedTensor> trained_parameters(const Network& network) {
  std::vector<NamedTensor> parameters;
  for (const auto& item : network.named_parameters()) {
    parameters.push_back({item.key(), item.value()});
  }
  return parameters;
}

NetworkCompute::NetworkCompute(std::shared_ptr<Network> network, const Device& device, std::string precision)
    : network_(std::move(network)), device_(device), precision_(std::move(precision)),
      parameters_(trained_parameters(*network_)) {
  network_->train();
  std::vector<at::Tensor> tensors;
  for (const NamedTensor& parameter : parameters_) tensors.push_back(parameter.tensor);
  hooks_ = std::make_unique<GradientReadyHooks>(tensors);
}

PassTimes NetworkCompute::forward_backward(const Batch& batch, const GradientReady& ready) {
  hooks_->listen(ready);
  const double start_s = now_s();
  at::Tensor mean;
  {
    const Autocast autocast(device_, precision_); // of the forward pass only, as frameworks do
    mean = network_->losses(batch).mean();
  }
  const double turn_s = now_s();
  (factor_ == 1 ? mean : mean * factor_).backward();
  const double end_s = now_s();
  hooks_->listen({});
  loss_ = mean.item<double>();
  return {turn_s - start_s, end_s - turn_s};
}

} // namespace ddltrain
