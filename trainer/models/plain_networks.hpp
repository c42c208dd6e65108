#pragma once

#include <memory>

namespace ddltrain {
class Network;

/// LeNet-5 on 28x28 digits, padded to 32x32 as in the paper (LeCun et al. 1998), with today's ReLU and maximum pooling
/// and fully connected second convolution; 61,706 parameters.
std::shared_ptr<Network> lenet5();

class Network;

enum class AlexNetVariant {
  torchvision, ///< one-column AlexNet (arXiv 1404.5997): 64-192-384-256-256 channels
  tensorflow,  ///< tf_cnn_benchmarks: 64-192-384-384-256 channels, 227x227 images, 1001 classes, dropout after fc only
  mxnet        ///< apache/mxnet example/image-classification: 96-256-384-384-256 channels, local response norm
};

std::shared_ptr<Network> alexnet(AlexNetVariant variant);

class Network;

/// VGG-16 without batch norm, 1000 classes (arXiv 1409.1556, configuration D; torchvision's vgg16).
std::shared_ptr<Network> vgg16();

} // namespace ddltrain
