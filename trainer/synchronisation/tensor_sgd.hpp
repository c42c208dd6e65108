#pragma once
#include "trainer/synchronisation/optimizer.hpp"

#include <ATen/core/Tensor.h>

#include <cstddef>

namespace ddltrain {

/// MomentumSgd on tensors of any device, in the same passes as PyTorch's SGD. A multiply and add may round once where
/// the host rounds twice. On a GPU update returns before its work is done.
class TensorSgd {
public:
  /// parameters, gradients: flat, fp32, on one device.
  TensorSgd(at::Tensor parameters, at::Tensor gradients, const SgdOptions& options);

  /// scale: the loss scale in the gradients. step: the step's number in the schedule.
  void update(double scale, std::size_t step);

private:
  at::Tensor parameters_;
  at::Tensor gradients_;
  at::Tensor velocity_;
  SgdOptions options_;
};

} // namespace ddltrain
