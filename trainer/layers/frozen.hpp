#pragma once
// Layers whose weights are kept and not trained, as fine-tuned backbones have them.

#include "trainer/layers/units.hpp"

namespace ddltrain {

/// A convolution without bias whose weights no step changes.
UnitPtr frozen_convolution(const ConvolutionShape& shape);

/// Batch norm with the statistics of an earlier training folded in: x times a factor plus a shift for each channel.
/// `factor` is the factor before weights of a trained network are read.
UnitPtr frozen_norm(std::int64_t channels, double factor = 1);

} // namespace ddltrain
