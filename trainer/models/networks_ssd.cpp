#include "trainer/layers/detection.hpp"
#include "trainer/models/image_network.hpp"
#include "trainer/models/networks.hpp"
#include "trainer/models/residual_networks.hpp"

#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>

namespace ddltrain {
namespace {

constexpr std::int64_t ssd300_image = 300;
constexpr std::int64_t coco_classes = 81; ///< the 80 classes of COCO and one for the background
constexpr std::int64_t box_corners = 4;
constexpr std::int64_t boxes_of_all_maps = 8732; ///< number of boxes on all six maps

/// A map of features and what is predicted at each of its places.
struct FeatureMap {
  std::int64_t channels;
  std::int64_t boxes; ///< number of boxes at each place
  /// channels of the 1x1 convolution in the block that makes this map; 0: the backbone makes the map
  std::int64_t middle;
  std::int64_t stride; ///< stride of the 3x3 convolution of that block; with stride 1 it has no padding
};
constexpr std::array<FeatureMap, 6> feature_maps = {
    {{1024, 4, 0, 0}, {512, 6, 256, 2}, {512, 6, 256, 2}, {256, 6, 128, 2}, {256, 4, 128, 1}, {256, 4, 128, 1}}};

UnitPtr shrinking_block(std::int64_t in_channels, const FeatureMap& map) {
  const std::int64_t padding = map.stride == 1 ? 0 : 1;
  return chain({{"0", conv_bn_relu({.in_channels = in_channels, .out_channels = map.middle})},
                {"1", conv_bn_relu({.in_channels = map.middle,
                                    .out_channels = map.channels,
                                    .kernel = {3, 3},
                                    .stride = {map.stride, map.stride},
                                    .padding = {padding, padding}})}});
}

UnitPtr predictor(const FeatureMap& map, std::int64_t values) {
  return convolution({.in_channels = map.channels,
                      .out_channels = map.boxes * values,
                      .kernel = {3, 3},
                      .padding = {1, 1},
                      .bias = true});
}

/// Returns a view: [batch, boxes x values, h, w] -> [batch, all boxes, values].
at::Tensor by_box(const at::Tensor& predicted, std::int64_t values) {
  return predicted.permute({0, 2, 3, 1}).reshape({predicted.size(0), -1, values});
}

/// Batch inputs: images; targets: classes [batch, 8732] and corners [batch, 8732, 4] of the boxes.
class Ssd300 final : public Network {
public:
  Ssd300() : backbone_(register_module("backbone", chain(resnet_features(resnet50_depths, {1, 2, 1})))) {
    for (std::size_t i = 1; i < feature_maps.size(); ++i) {
      blocks_.push_back(register_module("block" + std::to_string(i),
                                        shrinking_block(feature_maps.at(i - 1).channels, feature_maps.at(i))));
    }
    for (std::size_t i = 0; i < feature_maps.size(); ++i) {
      corners_.push_back(register_module("corners" + std::to_string(i), predictor(feature_maps.at(i), box_corners)));
      classes_.push_back(register_module("classes" + std::to_string(i), predictor(feature_maps.at(i), coco_classes)));
    }
    join_corners_ = register_module("join_corners", concatenate());
    join_classes_ = register_module("join_classes", concatenate());
    log_softmax_ = register_module("log_softmax", log_softmax());
    class_loss_ = register_module("class_loss", negative_log_likelihood());
    corner_loss_ = register_module("corner_loss", smooth_distance_loss());
  }

  Batch random_batch(std::int64_t samples) const override {
    return {{at::rand({samples, 3, ssd300_image, ssd300_image})},
            {at::randint(coco_classes, {samples, boxes_of_all_maps}, at::kLong),
             at::rand({samples, boxes_of_all_maps, box_corners})}};
  }

  at::Tensor losses(const Batch& batch) override {
    Tensors maps = {backbone_->forward(batch.inputs.at(0))};
    for (const UnitPtr& block : blocks_) {
      maps.push_back(block->forward(maps.back()));
    }
    Tensors corners, classes;
    for (std::size_t i = 0; i < maps.size(); ++i) {
      corners.push_back(by_box(corners_[i]->forward(maps[i]), box_corners));
      classes.push_back(by_box(classes_[i]->forward(maps[i]), coco_classes));
    }
    const at::Tensor scores = log_softmax_->forward(call_layer(join_classes_, classes));
    return call_layer(class_loss_, {scores, batch.targets.at(0)})
        .add(call_layer(corner_loss_, {call_layer(join_corners_, corners), batch.targets.at(1)}));
  }

private:
  UnitPtr backbone_;
  std::vector<UnitPtr> blocks_, corners_, classes_;
  UnitPtr join_corners_, join_classes_, log_softmax_, class_loss_, corner_loss_;
};

} // namespace

std::shared_ptr<Network> ssd300() {
  return std::make_shared<Ssd300>();
}

} // namespace ddltrain
