#include "trainer/synchronisation/optimizer.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>
#include <utility>

namespace ddltrain {

double rate_at(const SgdOptions& options, std::size_t step) {
  const RateSchedule& schedule = options.schedule;
  const auto done = static_cast<double>(step);
  double rate = options.learning_rate;
  if (done < schedule.warm_up_steps) {
    rate *= schedule.warm_up_from + (1 - schedule.warm_up_from) * done / schedule.warm_up_steps;
  }
  if (schedule.steps_between > 0) rate *= std::pow(schedule.factor, std::floor(done / schedule.steps_between));
  return rate;
}

MomentumSgd::MomentumSgd(std::size_t elements, const SgdOptions& options) : options_(options), velocity_(elements) {}

void MomentumSgd::update(float* parameters, const float* gradients, std::size_t first, std::size_t count,
                         std::size_t step) {
  const auto rate = static_cast<float>(rate_at(options_, step));
  const auto momentum = static_cast<float>(options_.momentum);
  const auto share = static_cast<float>(options_.gradient_share);
  const auto decay = static_cast<float>(options_.weight_decay);
  float* const velocity = velocity_.data() + first;
  for (std::size_t i = 0; i < count; ++i) {
    velocity[i] = momentum * velocity[i] + (share * gradients[i] + decay * parameters[i]);
    parameters[i] -= rate * velocity[i];
  }
}

void LossScale::tell(bool finite) {
  constexpr std::int64_t steps_to_grow = 2000;
  constexpr double growth = 2;
  if (!finite) {
    value_ /= growth;
    steps_ = 0;
  } else if (++steps_ == steps_to_grow) {
    value_ *= growth;
    steps_ = 0;
  }
}

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
