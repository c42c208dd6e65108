#include "trainer/models/image_network.hpp"
#include "trainer/models/networks.hpp"

namespace ddltrain {
namespace {

constexpr double norm_epsilon = 0.001; ///< epsilon of torchvision's batch norms
constexpr double torchvision_dropout = 0.2;
constexpr double bvlc_dropout = 0.4; ///< from bvlc_googlenet of Caffe's model zoo, and arXiv 1409.4842, section 5
constexpr double head_dropout = 0.7; ///< dropout of an auxiliary head, from the same sources
constexpr double head_weight = 0.3;  ///< weight of an auxiliary head's loss, from the same sources

/// Output channels of one inception block, in the order of the paper's table 1.
struct Channels {
  std::int64_t one, three_reduce, three, five_reduce, five, pool;
  std::int64_t out() const { return one + three + five + pool; }
};

struct NamedBlock {
  const char* name;
  Channels channels;
};
constexpr std::array<NamedBlock, 9> inception_blocks = {{{"3a", {64, 96, 128, 16, 32, 32}},
                                                         {"3b", {128, 128, 192, 32, 96, 64}},
                                                         {"4a", {192, 96, 208, 16, 48, 64}},
                                                         {"4b", {160, 112, 224, 24, 64, 64}},
                                                         {"4c", {128, 128, 256, 24, 64, 64}},
                                                         {"4d", {112, 144, 288, 32, 64, 64}},
                                                         {"4e", {256, 160, 320, 32, 128, 128}},
                                                         {"5a", {256, 160, 320, 32, 128, 128}},
                                                         {"5b", {384, 192, 384, 48, 128, 128}}}};

/// The parts of one variant; this structure holds every difference between the variants.
struct GoogLeNetParts {
  bool batch_norm;          ///< whether each convolution has a batch norm after it; otherwise it has a bias
  std::int64_t five_kernel; ///< kernel size of the convolutions that are 5x5 in the paper
  std::int64_t last_pool;   ///< kernel size of the pooling before block 5a
  bool response_norm;       ///< whether the stem has response normalisation
  bool partial_windows;     ///< whether pools keep a last, partly filled window

  UnitPtr conv(std::int64_t in_channels, std::int64_t out_channels, std::int64_t kernel,
               std::int64_t stride = 1) const {
    const ConvolutionShape shape = {.in_channels = in_channels,
                                    .out_channels = out_channels,
                                    .kernel = {kernel, kernel},
                                    .stride = {stride, stride},
                                    .padding = {kernel / 2, kernel / 2},
                                    .bias = !batch_norm};
    if (batch_norm) return conv_bn_relu(shape, {.epsilon = norm_epsilon});
    return chain({{"conv", convolution(shape)}, {"relu", relu()}});
  }
  UnitPtr halving_pool(std::int64_t kernel) const {
    return max_pool({.kernel = kernel, .stride = 2, .ceil = partial_windows});
  }
  Units stem() const;
  UnitPtr block(std::int64_t in, const Channels& channels) const;
};

/// Where torchvision has batch norms in the stem, the paper has response normalisation.
Units GoogLeNetParts::stem() const {
  Units units = {{"conv1", conv(3, 64, 7, 2)}, {"maxpool1", halving_pool(3)}};
  if (response_norm) {
    units.push_back({"norm1", local_response_norm({})});
  }
  units.push_back({"conv2", conv(64, 64, 1)});
  units.push_back({"conv3", conv(64, 192, 3)});
  if (response_norm) {
    units.push_back({"norm2", local_response_norm({})});
  }
  units.push_back({"maxpool2", halving_pool(3)});
  return units;
}

UnitPtr GoogLeNetParts::block(std::int64_t in, const Channels& channels) const {
  return branches({{{"branch1", conv(in, channels.one, 1)}},
                   {{"branch2_1", conv(in, channels.three_reduce, 1)},
                    {"branch2_2", conv(channels.three_reduce, channels.three, 3)}},
                   {{"branch3_1", conv(in, channels.five_reduce, 1)},
                    {"branch3_2", conv(channels.five_reduce, channels.five, five_kernel)}},
                   {{"branch4_pool", max_pool({.kernel = 3, .stride = 1, .padding = 1, .ceil = partial_windows})},
                    {"branch4", conv(in, channels.pool, 1)}}});
}

ImageNetworkPlan plan_of(const GoogLeNetParts& parts, double dropout_share) {
  ImageNetworkPlan plan;
  plan.units = parts.stem();
  std::int64_t channels = 192;
  for (const NamedBlock& named : inception_blocks) {
    const std::string name = named.name;
    if (name == "4a") {
      plan.units.push_back({"maxpool3", parts.halving_pool(3)});
    }
    if (name == "5a") {
      plan.units.push_back({"maxpool4", parts.halving_pool(parts.last_pool)});
    }
    plan.units.push_back({"inception" + name, parts.block(channels, named.channels)});
    channels = named.channels.out();
  }
  plan.units.push_back({"avgpool", global_average_pool()});
  if (dropout_share > 0) {
    plan.units.push_back({"dropout", dropout(dropout_share)});
  }
  plan.units.push_back({"fc", linear(channels, plan.classes)});
  return plan;
}

/// The auxiliary head of a block of 14x14 pixels: its average pooling leaves 4x4.
UnitPtr auxiliary_head(const GoogLeNetParts& parts, std::int64_t in, std::int64_t classes) {
  return chain({{"pool", average_pool({.kernel = 5, .stride = 3})},
                {"conv", parts.conv(in, 128, 1)},
                {"flatten", flatten()},
                {"fc1", linear(128L * 4 * 4, 1024)},
                {"relu", relu()},
                {"dropout", dropout(head_dropout)},
                {"fc2", linear(1024, classes)}});
}

} // namespace

std::shared_ptr<Network> googlenet() {
  return image_network(
      plan_of({.batch_norm = true, .five_kernel = 3, .last_pool = 2, .response_norm = false, .partial_windows = true},
              torchvision_dropout));
}

std::shared_ptr<Network> googlenet_bvlc() {
  const GoogLeNetParts parts = {
      .batch_norm = false, .five_kernel = 5, .last_pool = 3, .response_norm = true, .partial_windows = true};
  ImageNetworkPlan plan = plan_of(parts, bvlc_dropout);
  plan.auxiliaries = {{"inception4a", {"aux1", auxiliary_head(parts, 512, plan.classes)}, head_weight},
                      {"inception4d", {"aux2", auxiliary_head(parts, 528, plan.classes)}, head_weight}};
  return image_network(std::move(plan));
}

std::shared_ptr<Network> googlenet_mxnet() {
  constexpr std::int64_t image_side = 256;
  const GoogLeNetParts parts = {
      .batch_norm = false, .five_kernel = 5, .last_pool = 3, .response_norm = false, .partial_windows = false};
  ImageNetworkPlan plan = plan_of(parts, /*dropout_share=*/0);
  plan.image = {3, image_side, image_side};
  return image_network(std::move(plan));
}

} // namespace ddltrain
