#pragma once
// Stochastic gradient descent with momentum, on arrays in host memory. Without LibTorch: servers need no more.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ddltrain {

/// How the learning rate changes over the steps of a run; usually not at all.
struct RateSchedule {
  double warm_up_steps = 0; ///< in which the rate rises linearly
  double warm_up_from = 1;  ///< share of the rate that the first step has then
  double steps_between = 0; ///< each time so many steps are done the rate is multiplied by `factor`; 0: never
  double factor = 1;
};

struct SgdOptions {
  double learning_rate = 0.05;
  double momentum = 0.9;
  double weight_decay = 0;   ///< this times the parameter is added to its gradient
  double gradient_share = 1; ///< what a worker's gradient counts: 1 / workers, where they are summed
  RateSchedule schedule;
};

/// The learning rate of a step, counted from 0.
double rate_at(const SgdOptions& options, std::size_t step);

/// Stochastic gradient descent with momentum and weight decay as PyTorch's: v = momentum v + (share g + decay p),
/// p = p - rate v, element by element, so that equal inputs give equal bits on every rank and on a server.
class MomentumSgd {
public:
  MomentumSgd(std::size_t elements, const SgdOptions& options);

  /// Elements [first, first + count) of this optimizer's; the pointers are to their parameters and gradients. step: of
  /// the schedule.
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
  /// Off: always 1.
  explicit LossScale(bool on) : on_(on) {}

  bool is_on() const { return on_; }
  double value() const { return on_ ? value_ : 1; }
  /// After each step: were all gradients, summed over the workers and so the same on all, numbers?
  void end_step(bool finite);

private:
  bool on_;
  double value_ = 65536;
  std::int64_t steps_ = 0; ///< since it changed
};

} // namespace ddltrain
