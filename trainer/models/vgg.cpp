#include "trainer/models/vgg.hpp"

#include "trainer/models/image_network.hpp"

namespace ddltrain {
namespace {

/// Groups of 3x3 convolutions, each group ended by a 2x2 pooling.
struct Group {
  std::int64_t channels;
  int convolutions;
};
constexpr std::array<Group, 5> kVgg16 = {{{64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}}};
constexpr std::int64_t kFeatures = 512 * 7 * 7;
constexpr std::int64_t kHidden = 4096;
constexpr double kDropout = 0.5;

Units features() {
  Units units;
  const auto append = [&units](UnitPtr unit) { units.push_back({std::to_string(units.size()), std::move(unit)}); };
  std::int64_t channels = 3;
  for (const Group& group : kVgg16) {
    for (int i = 0; i < group.convolutions; ++i) {
      append(convolution({.in_channels = channels,
                          .out_channels = group.channels,
                          .kernel = {3, 3},
                          .padding = {1, 1},
                          .bias = true}));
      append(relu());
      channels = group.channels;
    }
    append(max_pool({.kernel = 2, .stride = 2}));
  }
  return units;
}

} // namespace

std::shared_ptr<Network> vgg16() {
  ImageNetworkPlan plan;
  plan.units = {{"features", chain(features())},
                {"flatten", flatten()},
                {"classifier", chain({{"0", linear(kFeatures, kHidden)},
                                      {"1", relu()},
                                      {"2", dropout(kDropout)},
                                      {"3", linear(kHidden, kHidden)},
                                      {"4", relu()},
                                      {"5", dropout(kDropout)},
                                      {"6", linear(kHidden, plan.classes)}})}};
  return image_network(std::move(plan));
}

} // namespace ddltrain
