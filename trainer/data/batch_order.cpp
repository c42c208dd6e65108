#include "trainer/data/batch_order.hpp"

#include <limits>
#include <numeric>
#include <utility>

namespace ddltrain {

BatchOrder::BatchOrder(std::size_t samples, std::size_t batch_per_worker, std::size_t workers, std::uint64_t seed)
    : batch_(batch_per_worker), workers_(workers), seed_(seed), order_(samples),
      epoch_(std::numeric_limits<std::size_t>::max()) {}

std::size_t BatchOrder::steps_per_epoch() const {
  return order_.size() / (batch_ * workers_);
}

std::vector<std::int64_t> BatchOrder::batch(std::size_t step, std::size_t worker) {
  const std::size_t steps = steps_per_epoch();
  if (step / steps != epoch_) shuffle(step / steps);
  const std::size_t first = (step % steps * workers_ + worker) * batch_;
  const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(batch_)};
}

/// Shuffles by Fisher and Yates, from the plain order, so that the order of an epoch does not depend on the ones
/// before.
void BatchOrder::shuffle(std::size_t epoch) {
  epoch_ = epoch;
  std::iota(order_.begin(), order_.end(), 0);
  // seeds of epochs are far apart (2^64 over the golden ratio)
  Random random(seed_ + 0x9E3779B97F4A7C15U * (epoch + 1));
  for (std::size_t i = order_.size(); i > 1; --i) {
    std::swap(order_[i - 1], order_[random.below(i)]);
  }
}

} // namespace ddltrain
