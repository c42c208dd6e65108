#pragma once
// The units that networks are composed of. A network written with these needs no LibTorch header.
// Images are [batch, channels, height, width]; sizes are {height, width}.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ddltrain {

class Unit;
using UnitPtr = std::shared_ptr<Unit>;

/// A unit and the name it is registered under; names become paths ("layer1.0.conv1") in the layer table.
struct NamedUnit {
  std::string name;
  UnitPtr unit;
};
using Units = std::vector<NamedUnit>;
using Size2 = std::array<std::int64_t, 2>;

// Layers with weights.

struct ConvolutionShape {
  std::int64_t in_channels = 0;
  std::int64_t out_channels = 0;
  Size2 kernel = {1, 1};
  Size2 stride = {1, 1};
  Size2 padding = {0, 0};
  std::int64_t groups = 1;
  bool bias = false;
};
UnitPtr convolution(const ConvolutionShape& shape);

/// A convolution without bias whose weights stay fixed in training, as in fine-tuned backbones.
UnitPtr frozen_convolution(const ConvolutionShape& shape);

/// A 2x2 convolution with bias that keeps the size of the maps: it pads them with zeros below and to the right.
UnitPtr convolution_2x2(std::int64_t in_channels, std::int64_t out_channels);

/// A 2x2 transposed convolution of stride 2, with bias: [batch, in, h, w] -> [batch, out, 2h, 2w].
UnitPtr doubling_convolution(std::int64_t in_channels, std::int64_t out_channels);

/// y = W x + b over the last dimension.
UnitPtr linear(std::int64_t in_features, std::int64_t out_features);

struct BatchNormOptions {
  double epsilon = 1e-5;
  bool scale = true;             ///< whether the norm has gamma; it always has beta
  double first_scale = 1;        ///< gamma before the first training step
  bool fixed_statistics = false; ///< whether mean and variance come from an earlier training and stay fixed
};
UnitPtr batch_norm(std::int64_t channels, const BatchNormOptions& options = {});

/// Batch norm with the statistics of an earlier training: x times a factor plus a shift for each channel. `factor` is
/// the factor until the weights of a trained network are read.
UnitPtr frozen_norm(std::int64_t channels, double factor = 1);

/// Normalises the last dimension, of `width` elements.
UnitPtr layer_norm(std::int64_t width);

// Layers without weights.

/// Repeats every value four times: [batch, channels, h, w] -> [batch, channels, 2h, 2w].
UnitPtr doubled();

struct LocalResponseNormOptions {
  std::int64_t neighbours = 5; ///< number of channels in the sum
  double alpha = 1e-4;
  double beta = 0.75;
  double k = 1;
};
UnitPtr local_response_norm(const LocalResponseNormOptions& options);

UnitPtr relu();
UnitPtr relu6();
UnitPtr gelu();
UnitPtr tanh_activation();
UnitPtr sigmoid();
UnitPtr softmax(); ///< softmax over the last dimension
UnitPtr dropout(double probability);

struct PoolShape {
  std::int64_t kernel = 2;
  std::int64_t stride = 2;
  std::int64_t padding = 0;
  bool ceil = false; ///< whether a last, partly filled window is kept
};
UnitPtr max_pool(const PoolShape& shape);
UnitPtr average_pool(const PoolShape& shape);
UnitPtr global_average_pool(); ///< [batch, channels, h, w] -> [batch, channels]

UnitPtr add();         ///< sum of its inputs
UnitPtr multiply();    ///< product of its two inputs, the second broadcast
UnitPtr concatenate(); ///< joins its inputs along the channels

// Compositions. Their parts are registered under the composition's own name.

/// Returns a view, without work: [batch, ...] -> [batch, all the rest].
UnitPtr flatten();

/// Runs the units one after the other.
UnitPtr chain(const Units& steps);

/// Computes after(main(x) + shortcut(x)); without shortcut units the shortcut is x itself.
UnitPtr residual(const Units& main, const Units& shortcut, const Units& after);

/// Multiplies x by a factor for each channel, which gate(x) gives: [batch, channels].
UnitPtr gated(const Units& gate);

/// Applies every way to the same input and joins the outputs along the channels.
UnitPtr branches(const std::vector<Units>& all);

} // namespace ddltrain
