#pragma once
// A network that can be trained: makes batches of the right shape and computes the loss of one.

#include "trainer/layers/unit.hpp"

namespace ddltrain {

/// What one training step sees. Images: inputs {[batch, c, h, w]}, targets {[batch]}.
struct Batch {
  Tensors inputs;
  Tensors targets;
};

class Network : public torch::nn::Module {
public:
  /// A batch of random data from LibTorch's generator.
  virtual Batch random_batch(std::int64_t samples) const = 0;
  /// The loss of each sample, [batch].
  virtual at::Tensor losses(const Batch& batch) = 0;
};

} // namespace ddltrain
