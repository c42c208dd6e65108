#include "trainer/synchronisation/tensor_sgd.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros_like.h>

#include <utility>

namespace ddltrain {

TensorSgd::TensorSgd(at::Tensor parameters, at::Tensor gradients, const SgdOptions& options)
    : parameters_(std::move(parameters)), gradients_(std::move(gradients)), velocity_(at::zeros_like(parameters_)),
      options_(options) {}

void TensorSgd::update(double scale, std::size_t step) {
  const at::NoGradGuard no_gradient;
  velocity_.mul_(options_.momentum).add_(gradients_, options_.gradient_share / scale);
  if (options_.weight_decay > 0) velocity_.add_(parameters_, options_.weight_decay);
  parameters_.add_(velocity_, -rate_at(options_, step));
}

} // namespace ddltrain
