#include "trainer/layers/detection.hpp"
#include "trainer/layers/units.hpp"
#include "trainer/models/image_network.hpp"
#include "trainer/models/networks.hpp"

#include <ATen/ops/rand.h>

namespace ddltrain {
namespace {

// Sizes of NVIDIA/DeepLearningExamples, TensorFlow/Detection/SSD/configs/ssd320_bench.config, read by the Object
// Detection API of tensorflow/models: models/ssd_resnet_v1_fpn_feature_extractor.py, models/feature_map_generators.py,
// predictors/convolutional_box_predictor.py.
constexpr std::int64_t ssd_image = 320;
constexpr double ssd_epsilon = 0.001;   ///< epsilon of batch_norm
constexpr std::int64_t ssd_depth = 256; ///< channels of all maps of the pyramid and of both towers
constexpr int ssd_tower_layers = 4;
constexpr std::int64_t ssd_anchors = 3L * 2; ///< anchors at one place: aspect ratios x scales
constexpr std::int64_t ssd_classes = 90 + 1; ///< the 90 identities of COCO and one for the background
constexpr std::int64_t ssd_map_sides = 4;
/// First scale of the last norm of a block. Statistics are fixed, so without it sums of random branches would grow from
/// block to block until a trained backbone is read.
constexpr double ssd_branch_scale = 0.2;

const MapSides& ssd_sides() {
  static const MapSides sides = {40, 20, 10, 5, 3};
  return sides;
}

std::int64_t ssd_boxes() {
  std::int64_t places = 0;
  for (const std::int64_t side : ssd_sides()) {
    places += side * side;
  }
  return ssd_anchors * places;
}

/// With freeze_batchnorm, statistics are those of the checkpoint; gamma and beta are trained.
UnitPtr ssd_norm(std::int64_t channels, double scale = 1) {
  return batch_norm(channels, {.epsilon = ssd_epsilon, .first_scale = scale, .fixed_statistics = true});
}

UnitPtr ssd_convolution(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride = 1) {
  return convolution({.in_channels = in,
                      .out_channels = out,
                      .kernel = {kernel, kernel},
                      .stride = {stride, stride},
                      .padding = {kernel / 2, kernel / 2}});
}

UnitPtr ssd_step(std::int64_t in, std::int64_t out, std::int64_t stride = 1) {
  return chain({{"conv", ssd_convolution(in, out, 3, stride)}, {"bn", ssd_norm(out)}, {"relu", relu6()}});
}

UnitPtr ssd_bottleneck(std::int64_t in, std::int64_t width) {
  const std::int64_t out = 4 * width;
  const Units main = {{"conv1", ssd_convolution(in, width, 1)},
                      {"bn1", ssd_norm(width)},
                      {"relu1", relu6()},
                      {"conv2", ssd_convolution(width, width, 3)},
                      {"bn2", ssd_norm(width)},
                      {"relu2", relu6()},
                      {"conv3", ssd_convolution(width, out, 1)},
                      {"bn3", ssd_norm(out, ssd_branch_scale)}};
  Units shortcut;
  if (in != out) {
    shortcut = {{"downsample", chain({{"0", ssd_convolution(in, out, 1)}, {"1", ssd_norm(out)}})}};
  }
  return residual(main, shortcut, {{"relu3", relu()}});
}

/// A stage of slim's resnet_v1_50. Its blocks keep the size, so that the pyramid sees the stage at full size; the next
/// stage takes every second place of it (store_non_strided_activations).
UnitPtr ssd_stage(std::int64_t in, std::int64_t width, int blocks, bool halves) {
  Units units;
  if (halves) {
    units.push_back({"subsample", max_pool({.kernel = 1, .stride = 2})});
  }
  for (int i = 0; i < blocks; ++i) {
    units.push_back({std::to_string(i), ssd_bottleneck(i == 0 ? in : 4 * width, width)});
  }
  return chain(units);
}

/// ResNet-50 v1 and the pyramid on its last three stages: image -> all places of the five maps.
class SsdPyramid final : public Unit {
public:
  SsdPyramid() {
    stem_ = register_module("stem", chain({{"conv1", ssd_convolution(3, 64, 7, 2)},
                                           {"bn1", ssd_norm(64)},
                                           {"relu", relu6()},
                                           {"maxpool", max_pool({.kernel = 3, .stride = 2, .padding = 1})},
                                           {"layer1", ssd_stage(64, 64, 3, /*halves=*/false)}}));
    constexpr std::array<int, 3> stage_blocks = {4, 6, 3};
    for (std::size_t i = 0; i < stage_blocks.size(); ++i) {
      const std::string number = std::to_string(i + 2);
      const std::int64_t width = std::int64_t{128} << i;
      stages_.push_back(
          register_module("layer" + number, ssd_stage(2 * width, width, stage_blocks.at(i), /*halves=*/true)));
      projections_.push_back(register_module(
          "projection" + number, convolution({.in_channels = 4 * width, .out_channels = ssd_depth, .bias = true})));
    }
    for (const char* number : {"2", "3"}) {
      const std::string name = number;
      doubled_.push_back(register_module("doubled" + name, doubled()));
      sums_.push_back(register_module("sum" + name, add()));
      smoothings_.push_back(register_module("smoothing" + name, ssd_step(ssd_depth, ssd_depth)));
    }
    for (const char* name : {"coarser5", "coarser6"}) {
      coarser_.push_back(register_module(name, ssd_step(ssd_depth, ssd_depth, 2)));
    }
    join_ = register_module("join", join_places());
  }

  at::Tensor forward(const at::Tensor& image) override {
    at::Tensor value = stem_->forward(image);
    Tensors maps;
    for (const UnitPtr& stage : stages_) {
      maps.push_back(value = stage->forward(value));
    }
    at::Tensor sum = projections_.back()->forward(maps.back());
    maps.back() = sum;
    for (std::size_t i = sums_.size(); i-- > 0;) {
      sum = call_layer(sums_[i], {doubled_[i]->forward(sum), projections_[i]->forward(maps[i])});
      maps[i] = smoothings_[i]->forward(sum);
    }
    for (const UnitPtr& step : coarser_) {
      maps.push_back(step->forward(maps.back()));
    }
    return call_layer(join_, maps);
  }

private:
  UnitPtr stem_;
  std::vector<UnitPtr> stages_, projections_, doubled_, sums_, smoothings_, coarser_;
  UnitPtr join_;
};

/// Four convolutions that all maps share, with a norm for each map, and a last one that predicts `values` for each
/// anchor.
UnitPtr ssd_tower(std::int64_t values) {
  Units units;
  for (int i = 0; i < ssd_tower_layers; ++i) {
    const std::string number = std::to_string(i);
    units.push_back({"conv" + number, shared_convolution(ssd_depth, ssd_depth, ssd_sides(), /*bias=*/false)});
    units.push_back({"bn" + number, norm_of_each_map(ssd_depth, ssd_sides(), ssd_epsilon)});
    units.push_back({"relu" + number, relu6()});
  }
  units.push_back({"predictor", shared_convolution(ssd_depth, ssd_anchors * values, ssd_sides(), /*bias=*/true)});
  return chain(units);
}

/// Returns a view: [batch, anchors x values, places, 1] -> [batch, boxes, values].
at::Tensor ssd_by_box(const at::Tensor& predicted, std::int64_t values) {
  return predicted.permute({0, 2, 3, 1}).reshape({predicted.size(0), -1, values});
}

/// Batch inputs: images; targets: 1 for a box's class [batch, boxes, 91], and corners [batch, boxes, 4].
class Ssd320 final : public Network {
public:
  Ssd320()
      : pyramid_(register_module("pyramid", std::make_shared<SsdPyramid>())),
        sides_(register_module("sides", ssd_tower(ssd_map_sides))),
        classes_(register_module("classes", ssd_tower(ssd_classes))),
        class_loss_(register_module("class_loss", focal_loss())),
        side_loss_(register_module("side_loss", smooth_distance_loss())) {}

  Batch random_batch(std::int64_t samples) const override {
    constexpr double no_object = 0.99; // share of boxes and classes without an object
    const at::Tensor classes = at::rand({samples, ssd_boxes(), ssd_classes}).gt(no_object).to(at::kFloat);
    return {{at::rand({samples, 3, ssd_image, ssd_image})}, {classes, at::rand({samples, ssd_boxes(), ssd_map_sides})}};
  }

  at::Tensor losses(const Batch& batch) override {
    const at::Tensor places = pyramid_->forward(batch.inputs.at(0));
    const at::Tensor sides = ssd_by_box(sides_->forward(places), ssd_map_sides);
    const at::Tensor classes = ssd_by_box(classes_->forward(places), ssd_classes);
    return call_layer(class_loss_, {classes, batch.targets.at(0)})
        .add(call_layer(side_loss_, {sides, batch.targets.at(1)}));
  }

private:
  UnitPtr pyramid_, sides_, classes_, class_loss_, side_loss_;
};

} // namespace

std::shared_ptr<Network> ssd320_fpn() {
  return std::make_shared<Ssd320>();
}

} // namespace ddltrain
