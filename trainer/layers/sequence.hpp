#pragma once
// Layers of networks that map sequences: [batch, channels, frames].

#include "trainer/layers/units.hpp"

namespace ddltrain {

struct SequenceConvolutionShape {
  std::int64_t in_channels = 0;
  std::int64_t out_channels = 0;
  std::int64_t kernel = 1; ///< frames; odd. The sequence is padded by kernel / 2 x dilation at both ends
  std::int64_t stride = 1;
  std::int64_t dilation = 1; ///< frames from one weight to the next
  bool bias = false;
};
UnitPtr sequence_convolution(const SequenceConvolutionShape& shape);

/// Connectionist temporal classification; the last class is the blank. Inputs: log-probabilities [batch, frames,
/// classes], letters to find [batch, letters]. Output: negative log-likelihood of each sample, [batch].
UnitPtr temporal_classification();

} // namespace ddltrain
