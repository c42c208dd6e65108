#include "trainer/models/googlenet.hpp"

#include "trainer/models/image_network.hpp"

namespace ddltrain {
namespace {

constexpr double kEpsilon = 0.001; ///< of every batch norm (torchvision)
constexpr double kDropout = 0.2;

/// Output channels of one inception block, in the order of the paper's table 1.
struct Channels {
  std::int64_t one, three_reduce, three, five_reduce, five, pool;
  std::int64_t out() const { return one + three + five + pool; }
};

UnitPtr conv(std::int64_t in_channels, std::int64_t out_channels, std::int64_t kernel, std::int64_t stride = 1) {
  return conv_bn_relu({.in_channels = in_channels,
                       .out_channels = out_channels,
                       .kernel = {kernel, kernel},
                       .stride = {stride, stride},
                       .padding = {kernel / 2, kernel / 2}},
                      {.epsilon = kEpsilon});
}

UnitPtr block(std::int64_t in, const Channels& channels) {
  return branches(
      {{{"branch1", conv(in, channels.one, 1)}},
       {{"branch2_1", conv(in, channels.three_reduce, 1)},
        {"branch2_2", conv(channels.three_reduce, channels.three, 3)}},
       {{"branch3_1", conv(in, channels.five_reduce, 1)}, {"branch3_2", conv(channels.five_reduce, channels.five, 3)}},
       {{"branch4_pool", max_pool({.kernel = 3, .stride = 1, .padding = 1, .ceil = true})},
        {"branch4", conv(in, channels.pool, 1)}}});
}

UnitPtr halving_pool(std::int64_t kernel) {
  return max_pool({.kernel = kernel, .stride = 2, .ceil = true});
}

struct NamedBlock {
  const char* name;
  Channels channels;
};
constexpr std::array<NamedBlock, 9> kBlocks = {{{"3a", {64, 96, 128, 16, 32, 32}},
                                                {"3b", {128, 128, 192, 32, 96, 64}},
                                                {"4a", {192, 96, 208, 16, 48, 64}},
                                                {"4b", {160, 112, 224, 24, 64, 64}},
                                                {"4c", {128, 128, 256, 24, 64, 64}},
                                                {"4d", {112, 144, 288, 32, 64, 64}},
                                                {"4e", {256, 160, 320, 32, 128, 128}},
                                                {"5a", {256, 160, 320, 32, 128, 128}},
                                                {"5b", {384, 192, 384, 48, 128, 128}}}};

} // namespace

std::shared_ptr<Network> googlenet() {
  ImageNetworkPlan plan;
  plan.units = {{"conv1", conv(3, 64, 7, 2)},
                {"maxpool1", halving_pool(3)},
                {"conv2", conv(64, 64, 1)},
                {"conv3", conv(64, 192, 3)},
                {"maxpool2", halving_pool(3)}};
  std::int64_t channels = 192;
  for (const NamedBlock& named : kBlocks) {
    const std::string name = named.name;
    if (name == "4a") {
      plan.units.push_back({"maxpool3", halving_pool(3)});
    }
    if (name == "5a") {
      plan.units.push_back({"maxpool4", halving_pool(2)});
    }
    plan.units.push_back({"inception" + name, block(channels, named.channels)});
    channels = named.channels.out();
  }
  plan.units.push_back({"avgpool", global_average_pool()});
  plan.units.push_back({"dropout", dropout(kDropout)});
  plan.units.push_back({"fc", linear(channels, plan.classes)});
  return image_network(std::move(plan));
}

} // namespace ddltrain
