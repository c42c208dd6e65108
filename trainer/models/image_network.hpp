#pragma once
// An image classifier as the list of its units.

#include "trainer/layers/units.hpp"

namespace ddltrain {

class Network;

struct ImageNetworkPlan {
  std::array<std::int64_t, 3> image = {3, 224, 224}; ///< channels, height, width
  std::int64_t classes = 1000;
  Units units; ///< image -> logits
  /// A second classifier on the output of the unit `auxiliary_after`, whose loss counts `auxiliary_weight`; none when
  /// its unit is null.
  NamedUnit auxiliary;
  std::string auxiliary_after;
  double auxiliary_weight = 0;
};

/// The network with its cross-entropy loss.
std::shared_ptr<Network> image_network(ImageNetworkPlan plan);

/// Convolution without bias, batch norm, ReLU, registered as conv, bn, relu.
UnitPtr conv_bn_relu(const ConvolutionShape& shape, const BatchNormOptions& norm = {});

} // namespace ddltrain
