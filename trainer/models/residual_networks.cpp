#include "trainer/models/residual_networks.hpp"

#include "trainer/models/image_network.hpp"

namespace ddltrain {
namespace {

constexpr std::int64_t stem_channels = 64;
constexpr std::int64_t bottleneck_expansion =
    4; ///< output channels of a ResNet block divided by those of its bottleneck

struct Block {
  std::int64_t in_channels;
  std::int64_t width; ///< channels of the bottleneck
  std::int64_t stride;
  std::int64_t out_channels = bottleneck_expansion * width;
  std::int64_t groups = 1; ///< groups of the 3x3 convolution
  bool excites = false;    ///< whether squeeze and excitation scales the output's channels before the sum
  bool projects() const { return stride != 1 || in_channels != out_channels; }
};

UnitPtr conv1x1(std::int64_t in_channels, std::int64_t out_channels, std::int64_t stride) {
  return convolution({.in_channels = in_channels, .out_channels = out_channels, .stride = {stride, stride}});
}

UnitPtr conv3x3(std::int64_t channels, std::int64_t stride, std::int64_t groups = 1) {
  return convolution({.in_channels = channels,
                      .out_channels = channels,
                      .kernel = {3, 3},
                      .stride = {stride, stride},
                      .padding = {1, 1},
                      .groups = groups});
}

/// Squeeze and excitation (arXiv 1709.01507, section 3) with its reduction ratio of 16.
UnitPtr excitation(std::int64_t channels) {
  constexpr std::int64_t excitation_reduction = 16;
  return gated({{"squeeze", global_average_pool()},
                {"fc1", linear(channels, channels / excitation_reduction)},
                {"relu", relu()},
                {"fc2", linear(channels / excitation_reduction, channels)},
                {"sigmoid", sigmoid()}});
}

UnitPtr block_v1(const Block& block, ResNetVersion version) {
  const std::int64_t first_stride = version == ResNetVersion::v1 ? block.stride : 1;
  const std::int64_t middle_stride = version == ResNetVersion::v1 ? 1 : block.stride;
  Units main = {{"conv1", conv1x1(block.in_channels, block.width, first_stride)},
                {"bn1", batch_norm(block.width)},
                {"relu1", relu()},
                {"conv2", conv3x3(block.width, middle_stride, block.groups)},
                {"bn2", batch_norm(block.width)},
                {"relu2", relu()},
                {"conv3", conv1x1(block.width, block.out_channels, 1)},
                {"bn3", batch_norm(block.out_channels)}};
  if (block.excites) {
    main.push_back({"se", excitation(block.out_channels)});
  }
  Units shortcut;
  if (block.projects()) {
    shortcut = {{"downsample", chain({{"0", conv1x1(block.in_channels, block.out_channels, block.stride)},
                                      {"1", batch_norm(block.out_channels)}})}};
  }
  return residual(main, shortcut, {{"relu3", relu()}});
}

UnitPtr block_v2(const Block& block) {
  const NamedUnit first_norm = {"bn1", batch_norm(block.in_channels)};
  const NamedUnit first_relu = {"relu1", relu()};
  Units main = {{"conv1", conv1x1(block.in_channels, block.width, block.stride)},
                {"bn2", batch_norm(block.width)},
                {"relu2", relu()},
                {"conv2", conv3x3(block.width, 1)},
                {"bn3", batch_norm(block.width)},
                {"relu3", relu()},
                {"conv3", conv1x1(block.width, block.out_channels, 1)}};
  if (block.projects()) { // the shortcut starts after the first norm and ReLU, which both ways share
    const Units shortcut = {{"downsample", conv1x1(block.in_channels, block.out_channels, block.stride)}};
    return chain({first_norm, first_relu, {"body", residual(main, shortcut, {})}});
  }
  main.insert(main.begin(), {first_norm, first_relu});
  return residual(main, {}, {});
}

UnitPtr stage(std::int64_t in_channels, std::int64_t width, int blocks, std::int64_t stride, ResNetVersion version) {
  Units units;
  for (int i = 0; i < blocks; ++i) {
    const Block block = {i == 0 ? in_channels : bottleneck_expansion * width, width, i == 0 ? stride : 1};
    units.push_back({std::to_string(i), version == ResNetVersion::v2 ? block_v2(block) : block_v1(block, version)});
  }
  return chain(units);
}

Units residual_stem() {
  return {
      {"conv1",
       convolution(
           {.in_channels = 3, .out_channels = stem_channels, .kernel = {7, 7}, .stride = {2, 2}, .padding = {3, 3}})},
      {"bn1", batch_norm(stem_channels)},
      {"relu", relu()},
      {"maxpool", max_pool({.kernel = 3, .stride = 2, .padding = 1})}};
}

} // namespace

std::shared_ptr<Network> resnet(const ResNetDepths& depths, ResNetVersion version) {
  ImageNetworkPlan plan;
  plan.units = residual_stem();
  std::int64_t channels = stem_channels;
  for (std::size_t i = 0; i < depths.size(); ++i) {
    const std::int64_t width = stem_channels << i;
    plan.units.push_back(
        {"layer" + std::to_string(i + 1), stage(channels, width, depths.at(i), i == 0 ? 1 : 2, version)});
    channels = bottleneck_expansion * width;
  }
  if (version == ResNetVersion::v2) {
    plan.units.push_back({"bn2", batch_norm(channels)});
    plan.units.push_back({"relu2", relu()});
  }
  plan.units.push_back({"avgpool", global_average_pool()});
  plan.units.push_back({"fc", linear(channels, plan.classes)});
  return image_network(std::move(plan));
}

Units resnet_features(const ResNetDepths& depths, const std::vector<std::int64_t>& strides) {
  Units units = residual_stem();
  std::int64_t channels = stem_channels;
  for (std::size_t i = 0; i < strides.size(); ++i) {
    const std::int64_t width = stem_channels << i;
    units.push_back(
        {"layer" + std::to_string(i + 1), stage(channels, width, depths.at(i), strides[i], ResNetVersion::v1_5)});
    channels = bottleneck_expansion * width;
  }
  return units;
}

std::shared_ptr<Network> resnext(const ResNetDepths& depths, const ResNeXtShape& shape) {
  ImageNetworkPlan plan;
  plan.units = residual_stem();
  std::int64_t channels = stem_channels;
  for (std::size_t i = 0; i < depths.size(); ++i) {
    const std::int64_t out_channels = (bottleneck_expansion * stem_channels) << i;
    Units blocks;
    for (int j = 0; j < depths.at(i); ++j) {
      const Block block = {.in_channels = channels,
                           .width = (shape.groups * shape.group_width) << i,
                           .stride = i > 0 && j == 0 ? 2 : 1,
                           .out_channels = out_channels,
                           .groups = shape.groups,
                           .excites = shape.excites};
      blocks.push_back({std::to_string(j), block_v1(block, ResNetVersion::v1_5)});
      channels = out_channels;
    }
    plan.units.push_back({"layer" + std::to_string(i + 1), chain(blocks)});
  }
  plan.units.push_back({"avgpool", global_average_pool()});
  plan.units.push_back({"fc", linear(channels, plan.classes)});
  return image_network(std::move(plan));
}

namespace {

constexpr std::int64_t first_channels = 32;
constexpr std::int64_t last_channels = 1280;
constexpr double mobilenet_dropout = 0.2;

/// One row of the paper's table 2: expansion, output channels, blocks, stride of the first block.
struct Row {
  std::int64_t expansion;
  std::int64_t channels;
  int blocks;
  std::int64_t stride;
};
constexpr std::array<Row, 7> resnet_rows = {
    {{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}}};

UnitPtr conv_bn_relu6(const ConvolutionShape& shape) {
  return chain({{"0", convolution(shape)}, {"1", batch_norm(shape.out_channels)}, {"2", relu6()}});
}

ConvolutionShape conv1x1(std::int64_t in_channels, std::int64_t out_channels) {
  return {.in_channels = in_channels, .out_channels = out_channels};
}

UnitPtr inverted_residual(std::int64_t in_channels, std::int64_t out_channels, std::int64_t expansion,
                          std::int64_t stride) {
  const std::int64_t wide = expansion * in_channels;
  Units units;
  if (expansion != 1) {
    units.push_back({"expand", conv_bn_relu6(conv1x1(in_channels, wide))});
  }
  units.push_back({"depthwise", conv_bn_relu6({.in_channels = wide,
                                               .out_channels = wide,
                                               .kernel = {3, 3},
                                               .stride = {stride, stride},
                                               .padding = {1, 1},
                                               .groups = wide})});
  units.push_back({"project", convolution(conv1x1(wide, out_channels))});
  units.push_back({"bn", batch_norm(out_channels)});
  const bool keeps_shape = stride == 1 && in_channels == out_channels;
  return keeps_shape ? residual(units, {}, {}) : chain(units);
}

Units mobilenet_features() {
  Units units;
  const auto append = [&units](UnitPtr unit) { units.push_back({std::to_string(units.size()), std::move(unit)}); };
  append(conv_bn_relu6(
      {.in_channels = 3, .out_channels = first_channels, .kernel = {3, 3}, .stride = {2, 2}, .padding = {1, 1}}));
  std::int64_t channels = first_channels;
  for (const Row& row : resnet_rows) {
    for (int i = 0; i < row.blocks; ++i) {
      append(inverted_residual(channels, row.channels, row.expansion, i == 0 ? row.stride : 1));
      channels = row.channels;
    }
  }
  append(conv_bn_relu6(conv1x1(channels, last_channels)));
  return units;
}

} // namespace

std::shared_ptr<Network> mobilenet_v2() {
  ImageNetworkPlan plan;
  plan.units = {{"features", chain(mobilenet_features())},
                {"avgpool", global_average_pool()},
                {"dropout", dropout(mobilenet_dropout)},
                {"classifier", linear(last_channels, plan.classes)}};
  return image_network(std::move(plan));
}

} // namespace ddltrain
