#pragma once
// How one training step's gradients become the next step's parameters.

#include <cstddef>

namespace ddltrain {

/// One a worker. A training loop zeroes the gradients, runs forward and backward, tells of each gradient as it is
/// ready, and calls finish. Gradients are of the loss divided by the number of workers, so their sum is the mean's
/// gradient.
class Synchroniser {
public:
  Synchroniser() = default;
  Synchroniser(const Synchroniser&) = delete;
  Synchroniser& operator=(const Synchroniser&) = delete;
  virtual ~Synchroniser() = default;

  /// Backward has finished the gradient at this position of the layout; may be told in any order, once a step. Returns
  /// at once: communication goes on beside backward where the strategy overlaps.
  virtual void gradient_ready(std::size_t position) = 0;
  /// After backward. Returns when the parameters are those of the next step. Throws RunError when communication failed.
  virtual void finish() = 0;
};

} // namespace ddltrain
