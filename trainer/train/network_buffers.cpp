#include "trainer/train/network_buffers.hpp"

#include "trainer/models/image_network.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>

namespace ddltrain {

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
