#include "trainer/synchronisation/optimizer.hpp"

#include <cmath>

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

void LossScale::end_step(bool finite) {
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

} // namespace ddltrain
