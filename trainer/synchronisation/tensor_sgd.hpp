#pragma once
#include "trainer/synchronisation/optimizer.hpp"

#include <ATen/core/Tensor.h>

#include <cstddef>

namespace ddltrain {

/// MomentumSgd on tensors wherever they are, in passes as PyTorch's SGD. Multiply and add may round once where the
/// host rounds twice. As work of the device, so update returns before it is done.
class TensorSgd {
public:
  /// parameters, gradients: flat, fp32, on one device.
  TensorSgd(at::Tensor parameters, at::Tensor gradients, const SgdOptions& options);

  /// scale: that gradients carry. step: of the schedule.
  void update(double scale, std::size_t step);

private:
  at::Tensor parameters_;
  at::Tensor gradients_;
  at::Tensor velocity_;
  SgdOptions options_;
};

} // namespace ddltrain
