#pragma once
// The bottleneck ResNets of 50, 101 and 152 layers, 1000 classes, in three versions that are different models.

#include <array>
#include <memory>

namespace ddltrain {
class Network;

enum class ResNetVersion {
  v1,   ///< a block that halves the image does so in its first 1x1 convolution (arXiv 1512.03385)
  v1_5, ///< ... in its 3x3 convolution (facebook/fb.resnet.torch, torchvision)
  v2    ///< norm and ReLU before each convolution (arXiv 1603.05027), as tf_cnn_benchmarks builds it: halving in the
        ///< first 1x1, norm after the stem, shortcut convolutions without norm
};

/// Blocks in each of the four stages.
using ResNetDepths = std::array<int, 4>;
inline constexpr ResNetDepths kResNet50 = {3, 4, 6, 3};
inline constexpr ResNetDepths kResNet101 = {3, 4, 23, 3};
inline constexpr ResNetDepths kResNet152 = {3, 8, 36, 3};

std::shared_ptr<Network> resnet(const ResNetDepths& depths, ResNetVersion version);

class Network;

/// MobileNetV2 of width 1.0, 1000 classes (arXiv 1801.04381, table 2).
std::shared_ptr<Network> mobilenet_v2();

} // namespace ddltrain
