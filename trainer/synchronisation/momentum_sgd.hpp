#pragma once
#include <cstddef>
#include <vector>

namespace ddltrain {

struct SgdOptions {
  double learning_rate = 0.05;
  double momentum = 0.9;
  double gradient_share = 1; ///< what a worker's gradient counts: 1 / workers, where there are several
};

/// Stochastic gradient descent with momentum as PyTorch's: v = momentum v + share g, p = p - rate v, element by
/// element, so that equal inputs give equal bits on every rank and on a server.
class MomentumSgd {
public:
  MomentumSgd(std::size_t elements, const SgdOptions& options);

  /// Elements [first, first + count) of this optimizer's; the pointers are to their parameters and gradients.
  void update(float* parameters, const float* gradients, std::size_t first, std::size_t count);

private:
  float rate_;
  float momentum_;
  float share_;
  std::vector<float> velocity_;
};

} // namespace ddltrain
