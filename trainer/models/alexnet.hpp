#pragma once
#include <memory>

namespace ddltrain {

class Network;

enum class AlexNetVariant {
  torchvision, ///< one-column AlexNet (arXiv 1404.5997): 64-192-384-256-256 channels
  tensorflow,  ///< tf_cnn_benchmarks: 64-192-384-384-256 channels, 227x227 images, 1001 classes, dropout after fc only
  mxnet        ///< apache/mxnet example/image-classification: 96-256-384-384-256 channels, local response norm
};

std::shared_ptr<Network> alexnet(AlexNetVariant variant);

} // namespace ddltrain
