#include "trainer/models/image_network.hpp"
#include "trainer/models/networks.hpp"

namespace ddltrain {
namespace {

constexpr double inception_epsilon = 0.001; ///< epsilon of every batch norm, in torchvision and in TensorFlow
constexpr double auxiliary_weight = 0.4;    ///< from arXiv 1512.00567 and torchvision's training script
constexpr double inception_dropout = 0.5;
constexpr std::int64_t tensorflow_classes = 1001; ///< ImageNet's 1000 classes and one for the background

/// The blocks of one variant; this structure holds every difference between the variants.
struct Blocks {
  BatchNormOptions norm;
  bool max_pool_in_last; ///< the pooling in the last block: maximum in tf_cnn_benchmarks, average in torchvision

  UnitPtr conv(std::int64_t in_channels, std::int64_t out_channels, Size2 kernel, std::int64_t stride = 1) const {
    const bool same = stride == 1;
    const Size2 padding = same ? Size2{kernel[0] / 2, kernel[1] / 2} : Size2{0, 0};
    return conv_bn_relu({.in_channels = in_channels,
                         .out_channels = out_channels,
                         .kernel = kernel,
                         .stride = {stride, stride},
                         .padding = padding},
                        norm);
  }
  UnitPtr valid(std::int64_t in_channels, std::int64_t out_channels, Size2 kernel) const {
    return conv_bn_relu({.in_channels = in_channels, .out_channels = out_channels, .kernel = kernel}, norm);
  }

  UnitPtr a(std::int64_t in, std::int64_t pool_channels) const;
  UnitPtr b(std::int64_t in) const;
  UnitPtr c(std::int64_t in, std::int64_t width) const;
  UnitPtr d(std::int64_t in) const;
  UnitPtr e(std::int64_t in, bool last) const;
  UnitPtr auxiliary(std::int64_t in, std::int64_t classes) const;
};

NamedUnit same_average_pool() {
  return {"pool", average_pool({.kernel = 3, .stride = 1, .padding = 1})};
}
UnitPtr halving_max_pool() {
  return max_pool({.kernel = 3, .stride = 2});
}

UnitPtr Blocks::a(std::int64_t in, std::int64_t pool_channels) const {
  return branches({{{"branch1x1", conv(in, 64, {1, 1})}},
                   {{"branch5x5_1", conv(in, 48, {1, 1})}, {"branch5x5_2", conv(48, 64, {5, 5})}},
                   {{"branch3x3dbl_1", conv(in, 64, {1, 1})},
                    {"branch3x3dbl_2", conv(64, 96, {3, 3})},
                    {"branch3x3dbl_3", conv(96, 96, {3, 3})}},
                   {same_average_pool(), {"branch_pool", conv(in, pool_channels, {1, 1})}}});
}

UnitPtr Blocks::b(std::int64_t in) const {
  return branches({{{"branch3x3", conv(in, 384, {3, 3}, 2)}},
                   {{"branch3x3dbl_1", conv(in, 64, {1, 1})},
                    {"branch3x3dbl_2", conv(64, 96, {3, 3})},
                    {"branch3x3dbl_3", conv(96, 96, {3, 3}, 2)}},
                   {{"pool", halving_max_pool()}}});
}

UnitPtr Blocks::c(std::int64_t in, std::int64_t width) const {
  return branches({{{"branch1x1", conv(in, 192, {1, 1})}},
                   {{"branch7x7_1", conv(in, width, {1, 1})},
                    {"branch7x7_2", conv(width, width, {1, 7})},
                    {"branch7x7_3", conv(width, 192, {7, 1})}},
                   {{"branch7x7dbl_1", conv(in, width, {1, 1})},
                    {"branch7x7dbl_2", conv(width, width, {7, 1})},
                    {"branch7x7dbl_3", conv(width, width, {1, 7})},
                    {"branch7x7dbl_4", conv(width, width, {7, 1})},
                    {"branch7x7dbl_5", conv(width, 192, {1, 7})}},
                   {same_average_pool(), {"branch_pool", conv(in, 192, {1, 1})}}});
}

UnitPtr Blocks::d(std::int64_t in) const {
  return branches({{{"branch3x3_1", conv(in, 192, {1, 1})}, {"branch3x3_2", conv(192, 320, {3, 3}, 2)}},
                   {{"branch7x7x3_1", conv(in, 192, {1, 1})},
                    {"branch7x7x3_2", conv(192, 192, {1, 7})},
                    {"branch7x7x3_3", conv(192, 192, {7, 1})},
                    {"branch7x7x3_4", conv(192, 192, {3, 3}, 2)}},
                   {{"pool", halving_max_pool()}}});
}

UnitPtr Blocks::e(std::int64_t in, bool last) const {
  const auto split = [this] { return branches({{{"a", conv(384, 384, {1, 3})}}, {{"b", conv(384, 384, {3, 1})}}}); };
  const NamedUnit pool = last && max_pool_in_last
                             ? NamedUnit{"pool", max_pool({.kernel = 3, .stride = 1, .padding = 1})}
                             : same_average_pool();
  return branches({{{"branch1x1", conv(in, 320, {1, 1})}},
                   {{"branch3x3_1", conv(in, 384, {1, 1})}, {"branch3x3_2", split()}},
                   {{"branch3x3dbl_1", conv(in, 448, {1, 1})},
                    {"branch3x3dbl_2", conv(448, 384, {3, 3})},
                    {"branch3x3dbl_3", split()}},
                   {pool, {"branch_pool", conv(in, 192, {1, 1})}}});
}

UnitPtr Blocks::auxiliary(std::int64_t in, std::int64_t classes) const {
  return chain({{"pool", average_pool({.kernel = 5, .stride = 3})},
                {"conv0", valid(in, 128, {1, 1})},
                {"conv1", valid(128, 768, {5, 5})},
                {"avgpool", global_average_pool()},
                {"fc", linear(768, classes)}});
}

Units stem(const Blocks& blocks) {
  return {{"Conv2d_1a_3x3", blocks.conv(3, 32, {3, 3}, 2)},
          {"Conv2d_2a_3x3", blocks.valid(32, 32, {3, 3})},
          {"Conv2d_2b_3x3", blocks.conv(32, 64, {3, 3})},
          {"maxpool1", halving_max_pool()},
          {"Conv2d_3b_1x1", blocks.valid(64, 80, {1, 1})},
          {"Conv2d_4a_3x3", blocks.valid(80, 192, {3, 3})},
          {"maxpool2", halving_max_pool()}};
}

Units mixed(const Blocks& blocks) {
  return {{"Mixed_5b", blocks.a(192, 32)},     {"Mixed_5c", blocks.a(256, 64)},   {"Mixed_5d", blocks.a(288, 64)},
          {"Mixed_6a", blocks.b(288)},         {"Mixed_6b", blocks.c(768, 128)},  {"Mixed_6c", blocks.c(768, 160)},
          {"Mixed_6d", blocks.c(768, 160)},    {"Mixed_6e", blocks.c(768, 192)},  {"Mixed_7a", blocks.d(768)},
          {"Mixed_7b", blocks.e(1280, false)}, {"Mixed_7c", blocks.e(2048, true)}};
}

} // namespace

std::shared_ptr<Network> inception_v3(InceptionVariant variant) {
  const bool tensorflow = variant == InceptionVariant::tensorflow;
  const Blocks blocks = {.norm = {.epsilon = inception_epsilon, .scale = !tensorflow}, .max_pool_in_last = tensorflow};
  ImageNetworkPlan plan;
  plan.image = {3, 299, 299};
  if (tensorflow) {
    plan.classes = tensorflow_classes;
  }
  plan.units = stem(blocks);
  for (NamedUnit& unit : mixed(blocks)) {
    plan.units.push_back(std::move(unit));
  }
  plan.units.push_back({"avgpool", global_average_pool()});
  if (!tensorflow) {
    plan.units.push_back({"dropout", dropout(inception_dropout)});
  }
  plan.units.push_back({"fc", linear(2048, plan.classes)});
  if (variant == InceptionVariant::torchvision_aux) {
    plan.auxiliaries = {{"Mixed_6e", {"AuxLogits", blocks.auxiliary(768, plan.classes)}, auxiliary_weight}};
  }
  return image_network(std::move(plan));
}

} // namespace ddltrain
