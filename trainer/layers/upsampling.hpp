#pragma once
// Layers that make maps larger again, as decoders and feature pyramids have them, and the convolution that follows.

#include "trainer/layers/units.hpp"

namespace ddltrain {

/// Every value four times: [batch, channels, h, w] -> [batch, channels, 2h, 2w].
UnitPtr doubled();

/// A 2x2 transposed convolution of stride 2, with bias: [batch, in, h, w] -> [batch, out, 2h, 2w].
UnitPtr doubling_convolution(std::int64_t in_channels, std::int64_t out_channels);

/// A 2x2 convolution with bias that keeps the size of the maps: zeros stand below and to the right of them.
UnitPtr convolution_2x2(std::int64_t in_channels, std::int64_t out_channels);

} // namespace ddltrain
