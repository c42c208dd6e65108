#include "trainer/models/mobilenet.hpp"

#include "trainer/models/image_network.hpp"

namespace ddltrain {
namespace {

constexpr std::int64_t kFirstChannels = 32;
constexpr std::int64_t kLastChannels = 1280;
constexpr double kDropout = 0.2;

/// A row of the paper's table 2: expansion, output channels, blocks, stride of the first block.
struct Row {
  std::int64_t expansion;
  std::int64_t channels;
  int blocks;
  std::int64_t stride;
};
constexpr std::array<Row, 7> kRows = {
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

Units features() {
  Units units;
  const auto append = [&units](UnitPtr unit) { units.push_back({std::to_string(units.size()), std::move(unit)}); };
  append(conv_bn_relu6(
      {.in_channels = 3, .out_channels = kFirstChannels, .kernel = {3, 3}, .stride = {2, 2}, .padding = {1, 1}}));
  std::int64_t channels = kFirstChannels;
  for (const Row& row : kRows) {
    for (int i = 0; i < row.blocks; ++i) {
      append(inverted_residual(channels, row.channels, row.expansion, i == 0 ? row.stride : 1));
      channels = row.channels;
    }
  }
  append(conv_bn_relu6(conv1x1(channels, kLastChannels)));
  return units;
}

} // namespace

std::shared_ptr<Network> mobilenet_v2() {
  ImageNetworkPlan plan;
  plan.units = {{"features", chain(features())},
                {"avgpool", global_average_pool()},
                {"dropout", dropout(kDropout)},
                {"classifier", linear(kLastChannels, plan.classes)}};
  return image_network(std::move(plan));
}

} // namespace ddltrain
