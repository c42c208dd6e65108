#include "trainer/layers/detection.hpp"
#include "trainer/layers/units.hpp"
#include "trainer/models/image_network.hpp"
#include "trainer/models/networks.hpp"

#include <ATen/ops/rand.h>

namespace ddltrain {
namespace {

// Sizes of model/unet.py, variant tinyUNet, which the benchmarks in scripts/benchmarking run.
constexpr std::int64_t unet_image = 512;
constexpr std::int64_t unet_edge = 32; ///< channels of the first block and of the last
constexpr std::array<std::int64_t, 3> unet_channels = {32, 64, 128};
constexpr std::int64_t unet_middle = 256;

/// A 3x3 convolution with bias, and ReLU.
UnitPtr unet_step(std::int64_t in, std::int64_t out) {
  return chain(
      {{"conv",
        convolution({.in_channels = in, .out_channels = out, .kernel = {3, 3}, .padding = {1, 1}, .bias = true})},
       {"relu", relu()}});
}

/// Returns maps of twice the side: each value is repeated four times, then come a 2x2 convolution and ReLU.
UnitPtr unet_enlarge(std::int64_t in, std::int64_t out) {
  return chain({{"doubled", doubled()}, {"conv", convolution_2x2(in, out)}, {"relu", relu()}});
}

/// Batch inputs: images; targets: 1 where there is a defect, [batch, 1, 512, 512].
class UNetIndustrial final : public Network {
public:
  UNetIndustrial() {
    std::int64_t channels = add_down(1, unet_edge);
    for (const std::int64_t wider : unet_channels) {
      channels = add_down(channels, wider);
    }
    middle_ = register_module("middle", chain({{"1", unet_step(channels, unet_middle)},
                                               {"2", unet_step(unet_middle, unet_middle)},
                                               {"enlarge", unet_enlarge(unet_middle, unet_middle / 2)}}));
    channels = unet_middle / 2;
    for (std::size_t i = unet_channels.size(); i-- > 0;) {
      channels = add_up(channels, unet_channels.at(i));
    }
    join_last_ = register_module("join_last", concatenate());
    last_ = register_module(
        "last", chain({{"1", unet_step(channels + unet_edge, unet_edge)},
                       {"2", unet_step(unet_edge, unet_edge)},
                       {"mask", convolution({.in_channels = unet_edge, .out_channels = 1, .bias = true})}}));
    loss_ = register_module("loss", binary_cross_entropy());
  }

  Batch random_batch(std::int64_t samples) const override {
    return {{at::rand({samples, 1, unet_image, unet_image})}, {at::rand({samples, 1, unet_image, unet_image}).round()}};
  }

  at::Tensor losses(const Batch& batch) override {
    at::Tensor value = batch.inputs.at(0);
    Tensors kept;
    for (const Down& down : downs_) {
      kept.push_back(down.steps->forward(value));
      value = down.pool->forward(kept.back());
    }
    value = middle_->forward(value);
    for (const Up& up : ups_) {
      value = up.steps->forward(call_layer(up.join, {value, kept.back()}));
      kept.pop_back();
    }
    const at::Tensor mask = last_->forward(call_layer(join_last_, {value, kept.back()}));
    return call_layer(loss_, {mask, batch.targets.at(0)});
  }

private:
  struct Down {
    UnitPtr steps, pool;
  };
  struct Up {
    UnitPtr join, steps;
  };

  /// Adds two convolutions and a pool that halves the maps. Returns their channels.
  std::int64_t add_down(std::int64_t in, std::int64_t out) {
    const std::string number = std::to_string(downs_.size() + 1);
    Down down;
    down.steps = register_module("down" + number, chain({{"1", unet_step(in, out)}, {"2", unet_step(out, out)}}));
    down.pool = register_module("pool" + number, max_pool({.kernel = 2, .stride = 2}));
    downs_.push_back(down);
    return out;
  }

  /// Adds two convolutions over the maps from below joined with those kept on the way down, and an enlargement. Returns
  /// the channels.
  std::int64_t add_up(std::int64_t in, std::int64_t kept) {
    const std::string number = std::to_string(ups_.size() + 1);
    Up up;
    up.join = register_module("join" + number, concatenate());
    up.steps = register_module("up" + number, chain({{"1", unet_step(in + kept, kept)},
                                                     {"2", unet_step(kept, kept / 2)},
                                                     {"enlarge", unet_enlarge(kept / 2, kept / 2)}}));
    ups_.push_back(up);
    return kept / 2;
  }

  std::vector<Down> downs_;
  UnitPtr middle_;
  std::vector<Up> ups_;
  UnitPtr join_last_, last_, loss_;
};

} // namespace

std::shared_ptr<Network> unet_industrial() {
  return std::make_shared<UNetIndustrial>();
}

} // namespace ddltrain
