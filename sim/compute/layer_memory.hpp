#pragma once
// What each layer has in a GPU's memory for backward, counted from the outputs of the layers.

#include "sim/formats/model.hpp"
#include "sim/formats/names.hpp"

#include <cstddef>
#include <vector>

namespace ddlsim {

/// What of a stack and a run decides which outputs are kept.
struct KeptFacts {
  Precision precision = Precision::fp32;
  Recompute recompute = Recompute::none;
  CrossEntropy cross_entropy = CrossEntropy::eager;
  bool fused_activation = false; ///< the activation and the product with the gated part are one kernel
  double expert_imbalance = 1;   ///< tokens of the busiest rank's experts over their mean
};

/// Bytes of one sample. While backward is at layer l, a GPU has what layers 0 to l keep, and what l itself has.
struct LayerMemory {
  double kept = 0; ///< tensors that forward keeps from this layer on: each is counted at the first layer that needs it
  double working = 0; ///< gradients of the layer's output and inputs, and what is computed again of its block
  double loss = 0;    ///< logits, their copies and their gradient; only at the loss
};

/// Counts the tensors that backward needs, each once:
///   a matrix product, a filter, a norm, an activation    its input; relu, tanh, sigmoid and softmax their output
///   attention                                            its inputs; one kernel its output, too, and a statistic in
///                                                        fp32 a head, where the table states how wide one is
///   a product by elements                                its inputs, a fused one only `up`
///   dropout                                              a mask of one byte an element
///   a pool                                               its input, a maximum also where it was
///   experts                                              the tokens that are sorted to them
/// Sums, rotations, masks, embeddings, frozen products and layers without backward need none. Statistics of norms and of softmax are not counted.
/// What layers_computed_again() names is not kept; of each part that is computed again its inputs are. With
/// `alternate_matmuls` the outputs of the other layers are kept, and the input of each block. In 8 bits that rule keeps
/// as much memory as in 16: torchtitan measured 76.8 and 77.0 GiB (benchmarks/llama3_h100_202412_torchtitan.md at
/// b5bcd76).
std::vector<LayerMemory> layer_memory(const Model& model, const KeptFacts& facts);

/// Sums over consecutive layers.
struct KeptOfLayers {
  double kept = 0;
  LayerMemory peak; ///< at the layer of their backward where most is in memory: `kept` of all layers up to that one
};

/// Sums over the layers from `first` to before `end`.
KeptOfLayers kept_of_layers(const std::vector<LayerMemory>& layers, std::size_t first, std::size_t end);

} // namespace ddlsim
