#pragma once
// Layers whose weights are kept and not trained, as fine-tuned backbones have them; and maps made larger.

#include "trainer/layers/units.hpp"

namespace ddltrain {

/// A convolution without bias whose weights no step changes.
UnitPtr frozen_convolution(const ConvolutionShape& shape);

/// Batch norm with the statistics of an earlier training folded in: x times a factor plus a shift for each channel.
/// `factor` is the factor before weights of a trained network are read.
UnitPtr frozen_norm(std::int64_t channels, double factor = 1);

/// Every value four times: [batch, channels, h, w] -> [batch, channels, 2h, 2w].
UnitPtr doubled();

/// A 2x2 convolution with bias that keeps the size of the maps: zeros stand below and to the right of them.
UnitPtr convolution_2x2(std::int64_t in_channels, std::int64_t out_channels);

/// A 2x2 transposed convolution of stride 2, with bias: [batch, in, h, w] -> [batch, out, 2h, 2w].
UnitPtr doubling_convolution(std::int64_t in_channels, std::int64_t out_channels);

} // namespace ddltrain
