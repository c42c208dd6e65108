#pragma once

#include <memory>

namespace ddltrain {
class Network;

/// GoogLeNet (arXiv 1409.4842) as torchvision has it: batch norm after each convolution, 3x3 where the paper has 5x5,
/// no auxiliary heads, 1000 classes.
std::shared_ptr<Network> googlenet();

/// GoogLeNet as Caffe's model zoo has it (bvlc_googlenet), close to the paper: no batch norm, 5x5 convolutions, response
/// normalisation, and two auxiliary heads that its training loss includes. 13,378,280 parameters.
std::shared_ptr<Network> googlenet_bvlc();

/// GoogLeNet as MXNet's image-classification example has it (symbols/googlenet.py), on 256x256 images: 5x5 convolutions,
/// no norm at all, no auxiliary heads. Its pools drop partly filled windows, so that images of 256 leave the last pool
/// the 7x7 places that it averages; those of 224 would leave 6x6. 6,998,552 parameters.
std::shared_ptr<Network> googlenet_mxnet();

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
