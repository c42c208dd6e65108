#include "trainer/models/image_network.hpp"
#include "trainer/models/networks.hpp"

namespace ddltrain {
namespace {

constexpr double v4_epsilon = 0.001; ///< epsilon of the batch norms of tf_cnn_benchmarks
constexpr double v4_dropout = 0.2;
constexpr std::int64_t v4_classes = 1001; ///< ImageNet's 1000 classes and one for the background

/// Whether a convolution of stride 1 pads the image; with padding the image keeps its size.
enum class Edge { same, valid };

/// A convolution with batch norm and ReLU.
UnitPtr step(std::int64_t in, std::int64_t out, Size2 kernel, Edge edge = Edge::same) {
  const Size2 padding = edge == Edge::same ? Size2{kernel[0] / 2, kernel[1] / 2} : Size2{0, 0};
  return conv_bn_relu({.in_channels = in, .out_channels = out, .kernel = kernel, .padding = padding},
                      {.epsilon = v4_epsilon, .scale = false});
}

/// A 3x3 convolution that halves the image.
UnitPtr halve(std::int64_t in, std::int64_t out) {
  return conv_bn_relu({.in_channels = in, .out_channels = out, .kernel = {3, 3}, .stride = {2, 2}},
                      {.epsilon = v4_epsilon, .scale = false});
}

NamedUnit halving_pool_branch() {
  return {"pool", max_pool({.kernel = 3, .stride = 2})};
}

/// An average pooling that keeps the size, followed by a 1x1 convolution.
Units pooled_branch(std::int64_t in, std::int64_t out) {
  return {{"pool", average_pool({.kernel = 3, .stride = 1, .padding = 1})}, {"branch_pool", step(in, out, {1, 1})}};
}

// The blocks of the paper's figures 3 to 9.

UnitPtr stem_split() {
  return branches({{{"a_1", step(160, 64, {1, 1})}, {"a_2", step(64, 96, {3, 3}, Edge::valid)}},
                   {{"b_1", step(160, 64, {1, 1})},
                    {"b_2", step(64, 64, {7, 1})},
                    {"b_3", step(64, 64, {1, 7})},
                    {"b_4", step(64, 96, {3, 3}, Edge::valid)}}});
}

UnitPtr block_a() {
  return branches({pooled_branch(384, 96),
                   {{"branch1x1", step(384, 96, {1, 1})}},
                   {{"branch3x3_1", step(384, 64, {1, 1})}, {"branch3x3_2", step(64, 96, {3, 3})}},
                   {{"branch3x3dbl_1", step(384, 64, {1, 1})},
                    {"branch3x3dbl_2", step(64, 96, {3, 3})},
                    {"branch3x3dbl_3", step(96, 96, {3, 3})}}});
}

UnitPtr reduction_a() {
  return branches({{halving_pool_branch()},
                   {{"branch3x3", halve(384, 384)}},
                   {{"branch3x3dbl_1", step(384, 192, {1, 1})},
                    {"branch3x3dbl_2", step(192, 224, {3, 3})},
                    {"branch3x3dbl_3", halve(224, 256)}}});
}

UnitPtr block_b() {
  return branches({pooled_branch(1024, 128),
                   {{"branch1x1", step(1024, 384, {1, 1})}},
                   {{"branch7x7_1", step(1024, 192, {1, 1})},
                    {"branch7x7_2", step(192, 224, {1, 7})},
                    {"branch7x7_3", step(224, 256, {7, 1})}},
                   {{"branch7x7dbl_1", step(1024, 192, {1, 1})},
                    {"branch7x7dbl_2", step(192, 192, {1, 7})},
                    {"branch7x7dbl_3", step(192, 224, {7, 1})},
                    {"branch7x7dbl_4", step(224, 224, {1, 7})},
                    {"branch7x7dbl_5", step(224, 256, {7, 1})}}});
}

UnitPtr reduction_b() {
  return branches({{halving_pool_branch()},
                   {{"branch3x3_1", step(1024, 192, {1, 1})}, {"branch3x3_2", halve(192, 192)}},
                   {{"branch7x7x3_1", step(1024, 256, {1, 1})},
                    {"branch7x7x3_2", step(256, 256, {1, 7})},
                    {"branch7x7x3_3", step(256, 320, {7, 1})},
                    {"branch7x7x3_4", halve(320, 320)}}});
}

UnitPtr block_c() {
  const auto split = [](std::int64_t in) {
    return branches({{{"a", step(in, 256, {1, 3})}}, {{"b", step(in, 256, {3, 1})}}});
  };
  return branches({pooled_branch(1536, 256),
                   {{"branch1x1", step(1536, 256, {1, 1})}},
                   {{"branch3x3_1", step(1536, 384, {1, 1})}, {"branch3x3_2", split(384)}},
                   {{"branch3x3dbl_1", step(1536, 384, {1, 1})},
                    {"branch3x3dbl_2", step(384, 448, {1, 3})},
                    {"branch3x3dbl_3", step(448, 512, {3, 1})},
                    {"branch3x3dbl_4", split(512)}}});
}

void repeat(Units& units, const std::string& name, int times, UnitPtr (*block)()) {
  for (int i = 1; i <= times; ++i) {
    units.push_back({name + "_" + std::to_string(i), block()});
  }
}

} // namespace

std::shared_ptr<Network> inception_v4_tensorflow() {
  ImageNetworkPlan plan;
  plan.image = {3, 299, 299};
  plan.classes = v4_classes;
  Units& units = plan.units;
  units = {{"conv1", halve(3, 32)},
           {"conv2", step(32, 32, {3, 3}, Edge::valid)},
           {"conv3", step(32, 64, {3, 3})},
           {"stem_a", branches({{halving_pool_branch()}, {{"branch3x3", halve(64, 96)}}})},
           {"stem_b", stem_split()},
           {"stem_c", branches({{{"branch3x3", halve(192, 192)}}, {halving_pool_branch()}})}};
  repeat(units, "block_a", 4, block_a);
  units.push_back({"reduction_a", reduction_a()});
  repeat(units, "block_b", 7, block_b);
  units.push_back({"reduction_b", reduction_b()});
  repeat(units, "block_c", 3, block_c);
  units.push_back({"avgpool", global_average_pool()});
  units.push_back({"dropout", dropout(v4_dropout)});
  units.push_back({"fc", linear(1536, plan.classes)});
  return image_network(std::move(plan));
}

} // namespace ddltrain
