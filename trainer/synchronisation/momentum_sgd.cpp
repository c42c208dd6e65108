#include "trainer/synchronisation/momentum_sgd.hpp"

namespace ddltrain {

MomentumSgd::MomentumSgd(std::size_t elements, const SgdOptions& options)
    : rate_(static_cast<float>(options.learning_rate)), momentum_(static_cast<float>(options.momentum)),
      share_(static_cast<float>(options.gradient_share)), velocity_(elements) {}

void MomentumSgd::update(float* parameters, const float* gradients, std::size_t first, std::size_t count) {
  float* const velocity = velocity_.data() + first;
  for (std::size_t i = 0; i < count; ++i) {
    velocity[i] = momentum_ * velocity[i] + share_ * gradients[i];
    parameters[i] -= rate_ * velocity[i];
  }
}

} // namespace ddltrain
