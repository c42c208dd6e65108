#pragma once
// Stochastic gradient descent with momentum, on arrays in host memory. The file does not need LibTorch, since parameter
// servers do not.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ddltrain {

/// How the learning rate changes over the steps of a run; by default it is constant.
struct RateSchedule {
  double warm_up_steps = 0; ///< steps during which the rate rises linearly
  double warm_up_from = 1;  ///< the first step's rate as a share of the full rate
  double steps_between = 0; ///< after each such number of steps the rate is multiplied by `factor`; 0: never
  double factor = 1;
};

struct SgdOptions {
  double learning_rate = 0.05;
  double momentum = 0.9;
  double weight_decay = 0;   ///< the parameter times this is added to its gradient
  double gradient_share = 1; ///< factor of a worker's gradient: 1 / workers where gradients are summed
  RateSchedule schedule;
};

/// Returns the learning rate of a step, counted from 0.
double rate_at(const SgdOptions& options, std::size_t step);

/// Stochastic gradient descent with momentum and weight decay as PyTorch's: v = momentum v + (share g + decay p),
/// p = p - rate v, element by element, so that equal inputs give equal bits on every rank and on a server.
class MomentumSgd {
public:
  MomentumSgd(std::size_t elements, const SgdOptions& options);

  /// Updates the elements [first, first + count); the pointers point to their parameters and gradients. step: the
  /// step's number in the schedule.
  void update(float* parameters, const float* gradients, std::size_t first, std::size_t count, std::size_t step);

private:
  SgdOptions options_;
  std::vector<float> velocity_;
};

/// Factor on the loss, so that small gradients do not vanish in fp16; gradients carry it until the update divides by
/// it. Halved when gradients overflow, and the step left out; doubled after 2000 steps without. Figures as in PyTorch's
/// GradScaler (torch/cuda/amp/grad_scaler.py), powers of two, so scaling does not round.
class LossScale {
public:
  /// When `on` is false the scale is always 1.
  explicit LossScale(bool on) : on_(on) {}

  bool is_on() const { return on_; }
  double value() const { return on_ ? value_ : 1; }
  /// Call after each step. finite: whether all gradients, summed over the workers and therefore equal on all, are
  /// finite numbers.
  void end_step(bool finite);

private:
  bool on_;
  double value_ = 65536;
  std::int64_t steps_ = 0; ///< steps since the last change
};

} // namespace ddltrain
