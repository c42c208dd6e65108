#pragma once
// What a model gives a GPU to do, layer by layer, without saying how long that takes.

#include "sim/formats/model.hpp"
#include "sim/formats/strategy.hpp"

#include <cstdint>
#include <vector>

namespace ddlsim {

/// The kernel that does the work of a layer.
enum class LayerKernel : std::uint8_t {
  convolution,
  convolution_1x1,
  convolution_3x3,
  product,         ///< of matrices
  fused_attention, ///< one kernel that keeps the scores on the chip
  score_product,   ///< of attention whose scores are written to memory
  scan,            ///< of a state space
  combine,         ///< tokens are sorted to experts, and what these make of them is summed
  loss,            ///< logits become probabilities and a loss
  pass,            ///< reads and writes memory: norms, activations, sums, pools
};

/// Layers of a model that do the same work.
struct LayerWork {
  LayerKernel kernel = LayerKernel::pass;
  double flop = 0;        ///< of forward, a sample
  double outputs = 0;     ///< values a sample
  double columns = 0;     ///< of a product: outputs of a row, which is a token or a sample
  bool in_8_bits = false; ///< fp8 computes this product in 8 bits
  int count = 0;          ///< layers
  double experts = 1;     ///< of a product: matrices in one kernel, each for its part of the rows
  AttentionFacts attention{};
  double chosen = 0;   ///< of combine: experts of a token
  bool biased = false; ///< of a product of experts: a bias is added to its outputs by a pass of its own
  LayerBackward backward = LayerBackward::whole;
};

/// The work of one sample, and of the update.
struct KernelWork {
  std::vector<LayerWork> layers;
  double parameters = 0; ///< that are trained
  double tokens = 0;     ///< of a sample; 0: the samples are no sequences
  bool attends = false;
  bool mixes = false; ///< has experts
  double layer_count = 0;
  double passes = 0; ///< over the layers: forward, and up to two of backward for each
};

/// Passes over a layer: forward, the gradient of its input, and that of its weights.
double passes_of(LayerBackward backward);

/// Returns the work of a model. Equal layers, such as those of a transformer's blocks, are one entry.
KernelWork kernel_work(const Model& model);

/// How a strategy divides the work of a model with experts; for a model without, the default.
WorkSplit split_of(const Model& model, const Strategy& strategy);

} // namespace ddlsim
