#pragma once

#include "trainer/synchronisation/momentum_sgd.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace ddltrain {
/// Factor on the loss, so that small gradients do not vanish in fp16; gradients carry it until the update divides by
/// it. Halved when gradients overflow, and the step left out; doubled after 2000 steps without. Figures as in PyTorch's
/// GradScaler (torch/cuda/amp/grad_scaler.py), powers of two, so scaling does not round.
class LossScale {
public:
  /// Off: always 1.
  explicit LossScale(bool on) : on_(on) {}

  bool is_on() const { return on_; }
  double value() const { return on_ ? value_ : 1; }
  /// After each step: were all gradients, summed over the workers and so the same on all, numbers?
  void tell(bool finite);

private:
  bool on_;
  double value_ = 65536;
  std::int64_t steps_ = 0; ///< since it changed
};

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
