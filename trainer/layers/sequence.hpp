#pragma once
// Layers of networks that map sequences.

#include "trainer/layers/layer_definition.hpp"
#include "trainer/layers/units.hpp"

namespace ddltrain {

// Layers for sounds: [batch, channels, frames].

struct SequenceConvolutionShape {
  std::int64_t in_channels = 0;
  std::int64_t out_channels = 0;
  std::int64_t kernel = 1; ///< size in frames; odd. The sequence is padded by kernel / 2 x dilation at both ends
  std::int64_t stride = 1;
  std::int64_t dilation = 1; ///< distance in frames from one weight to the next
  bool bias = false;
};
UnitPtr sequence_convolution(const SequenceConvolutionShape& shape);

/// Connectionist temporal classification; the last class is the blank. Inputs: log-probabilities [batch, frames,
/// classes], target letters [batch, letters]. Output: negative log-likelihood of each sample, [batch].
UnitPtr temporal_classification();

// A table of rows with two uses: the embedding looks words up in it, and the decoder scores words by it.

/// The weights of an embedding, [rows, width].
at::Tensor embedding_table(std::int64_t rows, std::int64_t width);

/// Looks up rows of `table`, which is trained as this layer's weight. Input: integers of any shape.
UnitPtr embedding(const at::Tensor& table);

/// Scores of every row: x table^T + bias. The table belongs to the embedding, whose gradient is complete only after
/// both uses, so only the bias is this layer's own tensor.
UnitPtr tied_decoder(const at::Tensor& table);

// The parts of multi-head attention that hold no weights. Hidden states are [batch, tokens, width]; the width is split
// evenly over the heads. Scores are [batch, heads, tokens, tokens].

/// Inputs: queries, keys. Output: their products, one for each head.
UnitPtr attention_scores(std::int64_t heads);

/// Inputs: scores, mask of ones and zeros [batch, tokens]. Output: scores / sqrt(head width), lowered where the mask is
/// zero so that the softmax gives nothing there.
UnitPtr attention_mask(std::int64_t head_width);

/// Inputs: probabilities, values. Output: the values weighted by the probabilities, with the heads joined again.
UnitPtr attention_context(std::int64_t heads);

/// Inputs: hidden states, positions [batch, picked]. Output: the states at those positions, [batch, picked, width].
UnitPtr pick_positions();

} // namespace ddltrain
