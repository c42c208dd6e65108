#include "trainer/layers/layer_definition.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <cmath>

namespace ddltrain {

std::function<std::int64_t(const Tensors&, const at::Tensor&)> flop_per_output_element(std::int64_t each) {
  return [each](const Tensors&, const at::Tensor& output) { return each * output.numel(); };
}

at::Tensor he_uniform(const std::vector<std::int64_t>& shape, std::int64_t fan_in) {
  const at::NoGradGuard no_gradient;
  const double bound = std::sqrt(6.0 / static_cast<double>(fan_in));
  return at::empty(shape, at::TensorOptions().dtype(at::kFloat)).uniform_(-bound, bound);
}

} // namespace ddltrain
