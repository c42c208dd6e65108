#include "trainer/train/flat_model.hpp"

#include "trainer/models/image_network.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace ddltrain {

std::vector<std::size_t> element_counts(const std::vector<NamedTensor>& tensors) {
  std::vector<std::size_t> counts;
  for (const NamedTensor& named : tensors) counts.push_back(static_cast<std::size_t>(named.tensor.numel()));
  return counts;
}

std::vector<float> flat_values(const std::vector<NamedTensor>& tensors) {
  std::vector<float> values;
  for (const NamedTensor& named : tensors) {
    const at::Tensor dense = named.tensor.detach().cpu().contiguous();
    values.insert(values.end(), dense.data_ptr<float>(), dense.data_ptr<float>() + dense.numel());
  }
  return values;
}

std::vector<std::int64_t> ready_order(ComputeSource& compute, const Batch& batch) {
  std::vector<std::int64_t> order;
  compute.forward(batch);
  compute.backward([&order](std::size_t index) { order.push_back(static_cast<std::int64_t>(index)); });
  std::vector<std::int64_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::int64_t> all(compute.parameters().size());
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all) throw std::logic_error("not every parameter gets one gradient a step");
  return order;
}

FlatModel::FlatModel(const std::vector<NamedTensor>& tensors, const std::vector<std::int64_t>& ready)
    : layout_(lay_out(element_counts(tensors), std::vector<std::size_t>(ready.begin(), ready.end()))),
      positions_(tensors.size()), starts_(tensors.size()),
      parameters_(at::zeros({static_cast<std::int64_t>(element_count(layout_))},
                            at::device(tensors.at(0).tensor.device()).dtype(at::kFloat))),
      gradients_(at::zeros_like(parameters_)) {
  const at::NoGradGuard no_gradient;
  for (const NamedTensor& named : tensors) tensors_.push_back(named.tensor);
  const std::vector<std::size_t> counts = element_counts(tensors);
  std::exclusive_scan(counts.begin(), counts.end(), starts_.begin(), std::size_t{0});
  for (std::size_t position = 0; position < layout_.size(); ++position) {
    const TensorPlace& place = layout_[position];
    positions_[place.tensor] = position;
    at::Tensor& tensor = tensors_[place.tensor];
    const auto part = [&](const at::Tensor& flat) {
      return flat.narrow(0, static_cast<std::int64_t>(place.first), tensor.numel()).view(tensor.sizes());
    };
    const at::Tensor values = part(parameters_);
    values.copy_(tensor);
    tensor.set_data(values);
    tensor.mutable_grad() = part(gradients_);
  }
}

ModelMemory FlatModel::memory() const {
  return {parameters_.data_ptr<float>(), gradients_.data_ptr<float>()};
}

void FlatModel::zero_gradients() {
  gradients_.zero_();
}

std::vector<float> FlatModel::parameters() const {
  const at::Tensor host = parameters_.cpu();
  std::vector<float> values(element_count(layout_));
  for (const TensorPlace& place : layout_) {
    std::copy_n(host.data_ptr<float>() + place.first, place.count, values.data() + starts_[place.tensor]);
  }
  return values;
}

void FlatModel::set_parameters(const std::vector<float>& in_creation_order) {
  const at::NoGradGuard no_gradient;
  const at::Tensor host = at::empty(parameters_.sizes(), at::kFloat);
  for (const TensorPlace& place : layout_) {
    std::copy_n(in_creation_order.data() + starts_[place.tensor], place.count, host.data_ptr<float>() + place.first);
  }
  parameters_.copy_(host);
}

at::Tensor flatten_buffers(const Network& network) {
  const at::NoGradGuard no_gradient;
  const std::vector<at::Tensor> buffers = network.buffers();
  if (buffers.empty()) return at::empty({0}, at::kFloat);
  std::vector<at::Tensor> parts;
  for (const at::Tensor& buffer : buffers) parts.push_back(buffer.reshape({-1}));
  at::Tensor flat = at::cat(parts);
  std::int64_t first = 0;
  for (const at::Tensor& buffer : buffers) {
    buffer.set_data(flat.narrow(0, first, buffer.numel()).view(buffer.sizes()));
    first += buffer.numel();
  }
  return flat;
}

std::vector<float> buffer_values(const Network& network) {
  std::vector<float> values;
  for (const at::Tensor& buffer : network.buffers()) {
    const at::Tensor host = buffer.cpu().contiguous();
    values.insert(values.end(), host.data_ptr<float>(), host.data_ptr<float>() + host.numel());
  }
  return values;
}

std::vector<at::Tensor> copies_of_buffers(const Network& network) {
  const at::NoGradGuard no_gradient;
  std::vector<at::Tensor> copies;
  for (const at::Tensor& buffer : network.buffers()) copies.push_back(buffer.clone());
  return copies;
}

void set_buffers(const Network& network, const std::vector<at::Tensor>& values) {
  const at::NoGradGuard no_gradient;
  const std::vector<at::Tensor> buffers = network.buffers();
  for (std::size_t i = 0; i < buffers.size(); ++i) buffers[i].copy_(values.at(i));
}

} // namespace ddltrain
