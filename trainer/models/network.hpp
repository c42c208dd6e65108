#pragma once
// A network that can be trained: makes batches of the right shape and computes the loss of one.

#include "trainer/layers/unit.hpp"

#include <stdexcept>

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
  /// Scores of the classes, [batch, classes]. Throws std::logic_error where samples have no class.
  virtual at::Tensor class_scores(const at::Tensor& inputs) {
    static_cast<void>(inputs);
    throw std::logic_error("this network does not classify");
  }
};

} // namespace ddltrain
