#include "trainer/models/image_network.hpp"
#include "trainer/models/networks.hpp"

namespace ddltrain {
std::shared_ptr<Network> lenet5() {
  ImageNetworkPlan plan;
  plan.image = {1, 28, 28};
  plan.classes = 10;
  plan.units = {
      {"conv1", convolution({.in_channels = 1, .out_channels = 6, .kernel = {5, 5}, .padding = {2, 2}, .bias = true})},
      {"relu1", relu()},
      {"pool1", max_pool({.kernel = 2, .stride = 2})},
      {"conv2", convolution({.in_channels = 6, .out_channels = 16, .kernel = {5, 5}, .bias = true})},
      {"relu2", relu()},
      {"pool2", max_pool({.kernel = 2, .stride = 2})},
      {"flatten", flatten()},
      {"fc1", linear(16L * 5 * 5, 120)},
      {"relu3", relu()},
      {"fc2", linear(120, 84)},
      {"relu4", relu()},
      {"fc3", linear(84, plan.classes)}};
  return image_network(std::move(plan));
}

namespace {

constexpr std::int64_t hidden_width = 4096;
constexpr double classifier_dropout = 0.5;

/// The differences between the variants.
struct Shape {
  std::int64_t image; ///< height and width of the image
  std::int64_t classes;
  std::int64_t first_padding; ///< padding of the 11x11 convolution
  std::array<std::int64_t, 5> channels;
  std::int64_t last_image; ///< height and width of the maps after the last pooling
  bool response_norm;
  bool dropout_before_fc; ///< place of dropout: before the first two fc layers (true, torchvision) or after them
};

Shape shape_of(AlexNetVariant variant) {
  switch (variant) {
  case AlexNetVariant::tensorflow:
    return {227, 1001, 0, {64, 192, 384, 384, 256}, 6, false, false};
  case AlexNetVariant::mxnet:
    return {224, 1000, 0, {96, 256, 384, 384, 256}, 5, true, false};
  case AlexNetVariant::torchvision:
    break;
  }
  return {224, 1000, 2, {64, 192, 384, 256, 256}, 6, false, true};
}

void append(Units& units, const std::string& name, UnitPtr unit) {
  units.push_back({name, std::move(unit)});
}

void add_features(Units& units, const Shape& shape) {
  constexpr std::array<std::int64_t, 5> kernel_sides = {11, 5, 3, 3, 3};
  std::int64_t in_channels = 3;
  for (std::size_t i = 0; i < shape.channels.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    const std::int64_t kernel = kernel_sides.at(i);
    const std::int64_t stride = i == 0 ? 4 : 1;
    const std::int64_t padding = i == 0 ? shape.first_padding : kernel / 2;
    append(units, "conv" + number,
           convolution({.in_channels = in_channels,
                        .out_channels = shape.channels.at(i),
                        .kernel = {kernel, kernel},
                        .stride = {stride, stride},
                        .padding = {padding, padding},
                        .bias = true}));
    append(units, "relu" + number, relu());
    in_channels = shape.channels.at(i);
    if (i == 2 || i == 3) {
      continue;
    }
    append(units, "pool" + number, max_pool({.kernel = 3, .stride = 2}));
    if (shape.response_norm && i < 2) {
      append(units, "lrn" + number, local_response_norm({}));
    }
  }
}

void add_classifier(Units& units, const Shape& shape) {
  std::int64_t features = shape.channels.back() * shape.last_image * shape.last_image;
  append(units, "flatten", flatten());
  for (int i = 6; i <= 7; ++i) {
    const std::string number = std::to_string(i);
    if (shape.dropout_before_fc) {
      append(units, "dropout" + number, dropout(classifier_dropout));
    }
    append(units, "fc" + number, linear(features, hidden_width));
    append(units, "relu" + number, relu());
    if (!shape.dropout_before_fc) {
      append(units, "dropout" + number, dropout(classifier_dropout));
    }
    features = hidden_width;
  }
  append(units, "fc8", linear(features, shape.classes));
}

} // namespace

std::shared_ptr<Network> alexnet(AlexNetVariant variant) {
  const Shape shape = shape_of(variant);
  Units units;
  add_features(units, shape);
  add_classifier(units, shape);
  ImageNetworkPlan plan;
  plan.image = {3, shape.image, shape.image};
  plan.classes = shape.classes;
  plan.units = std::move(units);
  return image_network(std::move(plan));
}

namespace {

/// Groups of 3x3 convolutions, each group ended by a 2x2 pooling.
struct ConvolutionGroup {
  std::int64_t channels;
  int convolutions;
};
constexpr std::array<ConvolutionGroup, 5> vgg16_groups = {{{64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}}};
constexpr std::int64_t flattened = 512L * 7 * 7;

Units vgg_features() {
  Units units;
  const auto append = [&units](UnitPtr unit) { units.push_back({std::to_string(units.size()), std::move(unit)}); };
  std::int64_t channels = 3;
  for (const ConvolutionGroup& group : vgg16_groups) {
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
  plan.units = {{"features", chain(vgg_features())},
                {"flatten", flatten()},
                {"classifier", chain({{"0", linear(flattened, hidden_width)},
                                      {"1", relu()},
                                      {"2", dropout(classifier_dropout)},
                                      {"3", linear(hidden_width, hidden_width)},
                                      {"4", relu()},
                                      {"5", dropout(classifier_dropout)},
                                      {"6", linear(hidden_width, plan.classes)}})}};
  return image_network(std::move(plan));
}

} // namespace ddltrain
