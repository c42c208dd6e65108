#pragma once
#include "trainer/synchronisation/momentum_sgd.hpp"

#include <ATen/core/Tensor.h>

namespace ddltrain {

/// MomentumSgd on tensors wherever they are, and with its bits: each operation rounds by itself. As work of the
/// device, so update returns before it is done.
class TensorSgd {
public:
  /// parameters, gradients: flat, fp32, on one device.
  TensorSgd(at::Tensor parameters, at::Tensor gradients, const SgdOptions& options);

  /// scale: that gradients carry. They are used up.
  void update(double scale);

private:
  at::Tensor parameters_;
  at::Tensor gradients_;
  at::Tensor velocity_;
  SgdOptions options_;
};

} // namespace ddltrain
