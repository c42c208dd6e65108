#include "trainer/layers/detection.hpp"
#include "trainer/layers/sequence.hpp"
#include "trainer/layers/units.hpp"
#include "trainer/models/image_network.hpp"
#include "trainer/models/networks.hpp"

#include <ATen/ops/rand.h>
#include <ATen/ops/rand_like.h>
#include <ATen/ops/randint.h>

namespace ddltrain {
namespace {

// Sizes of NVIDIA/DeepLearningExamples, PyTorch/Segmentation/MaskRCNN: config/defaults.py and
// e2e_mask_rcnn_R_50_FPN_1x.yaml.
constexpr std::int64_t image_height = 800;
constexpr std::int64_t image_width = 1344; ///< MAX_SIZE_TRAIN 1333, filled up to a multiple of SIZE_DIVISIBILITY 32
constexpr std::int64_t map_channels = 256;
constexpr std::int64_t anchors_a_place = 3;    ///< at each place
constexpr std::int64_t scored_anchors = 256;   ///< number of an image's anchors in the loss
constexpr std::int64_t regions_an_image = 512; ///< number of an image's regions
/// number of regions with a mask: at most a quarter of the regions show an object
constexpr std::int64_t masked_regions = 128;
constexpr std::int64_t object_classes = 81;
constexpr std::int64_t box_sides = 4;
constexpr std::int64_t box_bins = 7;
constexpr std::int64_t mask_bins = 14;
constexpr std::int64_t head_width = 1024;
/// First scale of the last norm of a block. It keeps sums of random branches of one size until a trained backbone is
/// read.
constexpr double branch_factor = 0.2;

UnitPtr backbone_convolution(const ConvolutionShape& shape, bool frozen) {
  return frozen ? frozen_convolution(shape) : convolution(shape);
}

/// A bottleneck with the stride in its first 1x1, as in the Caffe2 weights, and norms that are not trained.
UnitPtr bottleneck(std::int64_t in, std::int64_t width, std::int64_t stride, bool frozen) {
  const std::int64_t out = 4 * width;
  const auto conv = [frozen](std::int64_t from, std::int64_t to, std::int64_t kernel, std::int64_t step) {
    return backbone_convolution({.in_channels = from,
                                 .out_channels = to,
                                 .kernel = {kernel, kernel},
                                 .stride = {step, step},
                                 .padding = {kernel / 2, kernel / 2}},
                                frozen);
  };
  const Units main = {{"conv1", conv(in, width, 1, stride)},
                      {"bn1", frozen_norm(width)},
                      {"relu1", relu()},
                      {"conv2", conv(width, width, 3, 1)},
                      {"bn2", frozen_norm(width)},
                      {"relu2", relu()},
                      {"conv3", conv(width, out, 1, 1)},
                      {"bn3", frozen_norm(out, branch_factor)}};
  Units shortcut;
  if (in != out) {
    shortcut = {{"downsample", chain({{"0", conv(in, out, 1, stride)}, {"1", frozen_norm(out)}})}};
  }
  return residual(main, shortcut, {{"relu3", relu()}});
}

UnitPtr backbone_stage(std::int64_t in, std::int64_t width, int blocks, bool first) {
  Units units;
  for (int i = 0; i < blocks; ++i) {
    units.push_back(
        {std::to_string(i), bottleneck(i == 0 ? in : 4 * width, width, i == 0 && !first ? 2 : 1, /*frozen=*/first)});
  }
  return chain(units);
}

/// ResNet-50 v1 whose stem and first stage are not trained: image -> the outputs of its four stages.
class Backbone final : public torch::nn::Module {
public:
  Backbone() {
    const ConvolutionShape first = {
        .in_channels = 3, .out_channels = 64, .kernel = {7, 7}, .stride = {2, 2}, .padding = {3, 3}};
    stem_ = register_module("stem", chain({{"conv1", frozen_convolution(first)},
                                           {"bn1", frozen_norm(64)},
                                           {"relu", relu()},
                                           {"maxpool", max_pool({.kernel = 3, .stride = 2, .padding = 1})}}));
    constexpr std::array<int, 4> stage_blocks = {3, 4, 6, 3};
    std::int64_t channels = 64;
    for (std::size_t i = 0; i < stage_blocks.size(); ++i) {
      const std::int64_t width = std::int64_t{64} << i;
      stages_.push_back(register_module("layer" + std::to_string(i + 1),
                                        backbone_stage(channels, width, stage_blocks.at(i), /*first=*/i == 0)));
      channels = 4 * width;
    }
  }

  Tensors forward(const at::Tensor& image) {
    at::Tensor value = stem_->forward(image);
    Tensors maps;
    for (const UnitPtr& stage : stages_) {
      maps.push_back(value = stage->forward(value));
    }
    return maps;
  }

private:
  UnitPtr stem_;
  std::vector<UnitPtr> stages_;
};

/// Feature pyramid (arXiv 1612.03144): each map has 256 channels and the coarser maps added to it; the coarsest is
/// repeated at half its size.
class Pyramid final : public torch::nn::Module {
public:
  Pyramid() {
    for (int i = 1; i <= 4; ++i) {
      const std::string number = std::to_string(i);
      inner_.push_back(register_module(
          "inner" + number, convolution({.in_channels = 128 << i, .out_channels = map_channels, .bias = true})));
      outer_.push_back(register_module("outer" + number, convolution({.in_channels = map_channels,
                                                                      .out_channels = map_channels,
                                                                      .kernel = {3, 3},
                                                                      .padding = {1, 1},
                                                                      .bias = true})));
      if (i < 4) {
        doubled_.push_back(register_module("doubled" + number, doubled()));
        sum_.push_back(register_module("sum" + number, add()));
      }
    }
    half_ = register_module("half", max_pool({.kernel = 1, .stride = 2}));
  }

  Tensors forward(const Tensors& maps) {
    Tensors pyramid(maps.size());
    at::Tensor coarse;
    for (std::size_t i = maps.size(); i-- > 0;) {
      const at::Tensor inner = inner_[i]->forward(maps[i]);
      coarse = i + 1 == maps.size() ? inner : call_layer(sum_[i], {inner, doubled_[i]->forward(coarse)});
      pyramid[i] = outer_[i]->forward(coarse);
    }
    pyramid.push_back(half_->forward(pyramid.back()));
    return pyramid;
  }

private:
  std::vector<UnitPtr> inner_, outer_, doubled_, sum_;
  UnitPtr half_;
};

/// Region proposals: the network predicts whether there is an object at an anchor, and how far off the anchor is. The
/// same convolutions are applied to every map.
class Proposals final : public torch::nn::Module {
public:
  Proposals()
      : conv_(register_module("conv", convolution_of_maps(map_channels, map_channels))),
        relu_(register_module("relu", relu())),
        object_(register_module(
            "object", convolution({.in_channels = map_channels, .out_channels = anchors_a_place, .bias = true}))),
        sides_(register_module(
            "sides",
            convolution({.in_channels = map_channels, .out_channels = anchors_a_place * box_sides, .bias = true}))),
        pick_object_(register_module("pick_object", pick_positions())),
        pick_sides_(register_module("pick_sides", pick_positions())),
        object_loss_(register_module("object_loss", binary_cross_entropy())),
        sides_loss_(register_module("sides_loss", smooth_distance_loss())) {}

  /// Returns the losses, [batch]. The anchors in the loss, their labels and the places of the objects are drawn at
  /// random.
  at::Tensor losses(const Tensors& maps) {
    const at::Tensor value = relu_->forward(call_layer(conv_, maps));
    const at::Tensor object = by_anchor(object_->forward(value), 1);
    const at::Tensor sides = by_anchor(sides_->forward(value), box_sides);
    const at::Tensor anchors =
        at::randint(object.size(1), {object.size(0), scored_anchors}, value.options().dtype(at::kLong));
    const at::Tensor scored = call_layer(pick_object_, {object, anchors});
    const at::Tensor placed = call_layer(pick_sides_, {sides, anchors});
    return call_layer(object_loss_, {scored, at::rand_like(scored).round()})
        .add(call_layer(sides_loss_, {placed, at::rand_like(placed)}));
  }

private:
  /// Returns a view: [batch, anchors x values, places, 1] -> [batch, places x anchors, values].
  static at::Tensor by_anchor(const at::Tensor& predicted, std::int64_t values) {
    return predicted.permute({0, 2, 3, 1}).reshape({predicted.size(0), -1, values});
  }

  UnitPtr conv_, relu_, object_, sides_, pick_object_, pick_sides_, object_loss_, sides_loss_;
};

/// Predicts the class of a region, and how far off its box is.
class BoxHead final : public torch::nn::Module {
public:
  BoxHead()
      : align_(register_module("align", region_align(box_bins))),
        body_(register_module("body", chain({{"flatten", flatten()},
                                             {"fc1", linear(map_channels * box_bins * box_bins, head_width)},
                                             {"relu1", relu()},
                                             {"fc2", linear(head_width, head_width)},
                                             {"relu2", relu()}}))),
        classes_(register_module("classes", linear(head_width, object_classes))),
        sides_(register_module("sides", linear(head_width, object_classes * box_sides))),
        pick_sides_(register_module("pick_sides", pick_positions())),
        log_softmax_(register_module("log_softmax", log_softmax())),
        class_loss_(register_module("class_loss", negative_log_likelihood())),
        sides_loss_(register_module("sides_loss", smooth_distance_loss())) {}

  /// Returns the losses, [batch], for boxes [batch, regions, 4] and classes [batch, regions]. The places of the objects
  /// are drawn at random.
  at::Tensor losses(const Tensors& boxes_and_maps, const at::Tensor& classes) {
    const std::int64_t batch = classes.size(0);
    const at::Tensor value = body_->forward(call_layer(align_, boxes_and_maps));
    const at::Tensor scores = log_softmax_->forward(classes_->forward(value)).view({batch, -1, object_classes});
    const at::Tensor sides = sides_->forward(value).view({-1, object_classes, box_sides});
    const at::Tensor own = call_layer(pick_sides_, {sides, classes.reshape({-1, 1})}).view({batch, -1, box_sides});
    return call_layer(class_loss_, {scores, classes}).add(call_layer(sides_loss_, {own, at::rand_like(own)}));
  }

private:
  UnitPtr align_, body_, classes_, sides_, pick_sides_, log_softmax_, class_loss_, sides_loss_;
};

/// Predicts which part of a region its object covers.
class MaskHead final : public torch::nn::Module {
public:
  MaskHead() : align_(register_module("align", region_align(mask_bins))) {
    Units units;
    for (int i = 1; i <= 4; ++i) {
      units.push_back({"conv" + std::to_string(i), convolution({.in_channels = map_channels,
                                                                .out_channels = map_channels,
                                                                .kernel = {3, 3},
                                                                .padding = {1, 1},
                                                                .bias = true})});
      units.push_back({"relu" + std::to_string(i), relu()});
    }
    units.push_back({"conv5", doubling_convolution(map_channels, map_channels)});
    units.push_back({"relu5", relu()});
    units.push_back(
        {"masks", convolution({.in_channels = map_channels, .out_channels = object_classes, .bias = true})});
    body_ = register_module("body", chain(units));
    pick_ = register_module("pick", pick_positions());
    loss_ = register_module("loss", binary_cross_entropy());
  }

  /// Returns the losses, [batch], for boxes [batch, regions, 4] and classes [batch, regions]. The target masks are
  /// drawn at random.
  at::Tensor losses(const Tensors& boxes_and_maps, const at::Tensor& classes) {
    const at::Tensor masks = body_->forward(call_layer(align_, boxes_and_maps)).flatten(2);
    const at::Tensor own = call_layer(pick_, {masks, classes.reshape({-1, 1})}).view({classes.size(0), -1});
    return call_layer(loss_, {own, at::rand_like(own).round()});
  }

private:
  UnitPtr align_, body_, pick_, loss_;
};

/// Batch inputs: images, and the boxes of the regions [batch, regions, 4]; targets: their classes [batch, regions].
class MaskRcnn final : public Network {
public:
  MaskRcnn()
      : backbone_(register_module("backbone", std::make_shared<Backbone>())),
        pyramid_(register_module("pyramid", std::make_shared<Pyramid>())),
        proposals_(register_module("proposals", std::make_shared<Proposals>())),
        box_head_(register_module("box_head", std::make_shared<BoxHead>())),
        mask_head_(register_module("mask_head", std::make_shared<MaskHead>())) {}

  Batch random_batch(std::int64_t samples) const override {
    return {{at::rand({samples, 3, image_height, image_width}), at::rand({samples, regions_an_image, box_sides})},
            {at::randint(object_classes, {samples, regions_an_image}, at::kLong)}};
  }

  at::Tensor losses(const Batch& batch) override {
    Tensors maps = pyramid_->forward(backbone_->forward(batch.inputs.at(0)));
    const at::Tensor proposed = proposals_->losses(maps);
    maps.pop_back(); // regions are cut from the four finer maps
    const auto cut = [&](std::int64_t regions) {
      Tensors boxes_and_maps = {batch.inputs.at(1).narrow(1, 0, regions)};
      boxes_and_maps.insert(boxes_and_maps.end(), maps.begin(), maps.end());
      return boxes_and_maps;
    };
    const at::Tensor& classes = batch.targets.at(0);
    return proposed.add(box_head_->losses(cut(regions_an_image), classes))
        .add(mask_head_->losses(cut(masked_regions), classes.narrow(1, 0, masked_regions)));
  }

private:
  std::shared_ptr<Backbone> backbone_;
  std::shared_ptr<Pyramid> pyramid_;
  std::shared_ptr<Proposals> proposals_;
  std::shared_ptr<BoxHead> box_head_;
  std::shared_ptr<MaskHead> mask_head_;
};

} // namespace

std::shared_ptr<Network> mask_rcnn() {
  return std::make_shared<MaskRcnn>();
}

} // namespace ddltrain
