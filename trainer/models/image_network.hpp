#pragma once
// A network that can be trained: makes batches of the right shape and computes the loss of one.

#include "trainer/layers/unit.hpp"
#include "trainer/layers/units.hpp"

#include <stdexcept>

namespace ddltrain {
/// The input of one training step. For images: inputs {[batch, c, h, w]}, targets {[batch]}.
struct Batch {
  Tensors inputs;
  Tensors targets;
};

class Network : public torch::nn::Module {
public:
  /// Returns a batch of random data from LibTorch's generator.
  virtual Batch random_batch(std::int64_t samples) const = 0;
  /// Returns the loss of each sample, [batch].
  virtual at::Tensor losses(const Batch& batch) = 0;
  /// Returns the scores of the classes, [batch, classes]. Throws std::logic_error for a network whose samples have no
  /// class.
  virtual at::Tensor class_scores(const at::Tensor& inputs) {
    static_cast<void>(inputs);
    throw std::logic_error("this network does not classify");
  }
};

// An image classifier as the list of its units.

class Network;

/// An auxiliary classifier on the output of the unit `after`; its loss counts with the factor `weight`.
struct AuxiliaryHead {
  std::string after;
  NamedUnit classifier;
  double weight;
};

struct ImageNetworkPlan {
  std::array<std::int64_t, 3> image = {3, 224, 224}; ///< channels, height, width
  std::int64_t classes = 1000;
  Units units;                            ///< units from the image to the logits
  std::vector<AuxiliaryHead> auxiliaries; ///< auxiliary heads in the order of their blocks
};

/// The network with its cross-entropy loss.
std::shared_ptr<Network> image_network(ImageNetworkPlan plan);

/// Returns convolution without bias, batch norm, and ReLU, registered as conv, bn, relu.
UnitPtr conv_bn_relu(const ConvolutionShape& shape, const BatchNormOptions& norm = {});

} // namespace ddltrain
