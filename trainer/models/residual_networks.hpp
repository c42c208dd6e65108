#pragma once
// The bottleneck ResNets of 50, 101 and 152 layers with 1000 classes, in three versions that are different models; also
// ResNeXt and MobileNetV2.

#include "trainer/layers/units.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace ddltrain {
class Network;

enum class ResNetVersion {
  v1,   ///< a block that halves the image does so in its first 1x1 convolution (arXiv 1512.03385)
  v1_5, ///< a block that halves the image does so in its 3x3 convolution (facebook/fb.resnet.torch, torchvision)
  v2    ///< norm and ReLU before each convolution (arXiv 1603.05027), as tf_cnn_benchmarks builds it: halving in the
        ///< first 1x1, norm after the stem, shortcut convolutions without norm
};

/// Number of blocks in each of the four stages.
using ResNetDepths = std::array<int, 4>;
inline constexpr ResNetDepths resnet50_depths = {3, 4, 6, 3};
inline constexpr ResNetDepths resnet101_depths = {3, 4, 23, 3};
inline constexpr ResNetDepths resnet152_depths = {3, 8, 36, 3};

std::shared_ptr<Network> resnet(const ResNetDepths& depths, ResNetVersion version);

/// Returns ResNet v1.5's stem and its first stages, one for each element of `strides`, with that stride: image -> map
/// of features.
Units resnet_features(const ResNetDepths& depths, const std::vector<std::int64_t>& strides);

/// ResNeXt: the 3x3 convolution of a bottleneck is split into groups (arXiv 1611.05431, table 1).
struct ResNeXtShape {
  std::int64_t groups = 32;
  std::int64_t group_width = 4; ///< channels of a group in the first stage; the number doubles from stage to stage
  bool excites = false;         ///< SE-ResNeXt: squeeze and excitation in each block (arXiv 1709.01507)
};

/// Returns a ResNeXt with the strides of ResNet v1.5. With 32 groups of 4 it is torchvision's and NVIDIA's
/// resnext101_32x4d.
std::shared_ptr<Network> resnext(const ResNetDepths& depths, const ResNeXtShape& shape);

class Network;

/// MobileNetV2 of width 1.0, 1000 classes (arXiv 1801.04381, table 2).
std::shared_ptr<Network> mobilenet_v2();

} // namespace ddltrain
