#pragma once

#include <memory>

namespace ddltrain {
class Network;

enum class InceptionVariant {
  torchvision,     ///< 1000 classes, batch norm with gamma, no auxiliary head
  torchvision_aux, ///< the same with the auxiliary classifier that its training loss includes
  tensorflow       ///< tf_cnn_benchmarks: 1001 classes, batch norm without gamma, no auxiliary head
};

/// Inception v3 (arXiv 1512.00567) on 299x299 images.
std::shared_ptr<Network> inception_v3(InceptionVariant variant);

/// Inception v4 (arXiv 1602.07261) on 299x299 images as tf_cnn_benchmarks has it: 1001 classes, batch norm without gamma.
std::shared_ptr<Network> inception_v4_tensorflow();

} // namespace ddltrain
