#pragma once
// A model as a pipeline cuts it: pieces of consecutive layers, as equal in time as whole blocks allow.

#include "sim/compute/piece_cut.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/names.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

/// Returns the block that a layer belongs to. Blocks are never cut, because a residual connection may bypass their
/// layers. The layers of a block share the first word of their name and the numbers behind it:
/// "block12.attention.query" is in block12 and "layer1.0.conv1" in layer1.0, while "features.3" is a block of its own.
std::string block_name_of(const std::string& layer);

/// Returns how many blocks a model has, which is the most pieces that it can be cut into.
int blocks_of(const Model& model);

/// The part of a piece whose forward is computed again before its backward.
struct RecomputedShape {
  double forward = 0;        ///< share of the model's forward
  double expert_forward = 0; ///< part of `forward` that experts take
  double inner_bytes = 0;    ///< inner_bytes of PieceShape, of the cut layers in those blocks
  int cut_layers = 0;        ///< number of cut layers in those blocks
  int attentive_blocks = 0;  ///< number of those blocks that have attention
  int expert_blocks = 0;     ///< number of those blocks that have experts
  int gathered_blocks = 0; ///< number of other blocks with attention that only gather again what their tensor group has
  int key_blocks = 0;      ///< number of blocks whose attention is computed again
  double attention_forward = 0; ///< part of `forward` that attention takes
};

/// One piece of a pipeline.
struct PieceShape {
  std::string name;            ///< names of the first and last block: "block0 .. block7"; "fc"
  double forward = 0;          ///< share of the model's forward
  double backward = 0;         ///< share of the model's backward
  double parameters = 0;       ///< number of parameters that are trained
  double sent_bytes = 0;       ///< bytes of the last layer's output, which the next piece receives: a sample in fp32
  std::size_t first_layer = 0; ///< number in the model's list
  std::size_t end_layer = 0;   ///< one past its last layer
  /// Bytes that tensor parallelism gathers, a sample in fp32: outputs of the piece's blocks with attention, or of its
  /// cut layers.
  double inner_bytes = 0;
  /// bytes of keys and values of the blocks with attention, for context parallelism: a sample in fp32
  double key_bytes = 0;
  int attentive_blocks = 0; ///< number of blocks with attention
  /// Number of layers with weights, in a model without attention. Tensor parallelism cuts each of them by its outputs.
  int cut_layers = 0;
  double expert_parameters = 0; ///< part of `parameters` that experts have
  double expert_forward = 0;    ///< part of `forward` that experts take
  double expert_backward = 0;   ///< part of `backward` that experts take
  double routed_bytes = 0;      ///< bytes of the experts' outputs, one a token and expert: a sample in fp32
  int expert_blocks = 0;        ///< number of blocks with experts
  double experts = 0;           ///< of one block
  double experts_a_token = 0;   ///< that a token chooses; 0: not known
  RecomputedShape again{};
  double weight_backward = 0;    ///< part of `backward` that computes gradients of weights
  double attention_forward = 0;  ///< part of `forward` that layers of kind "attention" take
  double attention_backward = 0; ///< part of `backward` that they take
  double query_bytes = 0;        ///< bytes of the outputs of attention, as many as queries have: a sample in fp32
  int numbered_blocks = 0;       ///< number of blocks whose name has a number: "block3", "layer1.0"
  double frozen_parameters = 0;  ///< number of parameters that are not trained
};

/// Adds a shape of the layers that follow those of `sum`.
void add_shape(PieceShape& sum, const PieceShape& more);

/// Returns whether a layer belongs to experts of a block: one that names its `experts`, or one of a single expert, as
/// "block3.expert12.up" is.
bool is_of_expert(const Layer& layer);

/// Returns the number of experts of the block that has the most; 0 for a model without experts.
int experts_of(const Model& model);

/// Returns whether the model has a block with an attention layer. Tensor parallelism cuts these blocks, where a model
/// has some.
bool has_attention(const Model& model);

/// Returns whether a layer multiplies by a matrix or a filter. Tensor parallelism cuts such layers by output channels
/// in a model without attention.
bool has_weights(const Layer& layer);

/// Returns whether every block with attention names the layers that compute its keys and values: "key" and "value", or
/// "query_key_value".
bool has_keys_and_values(const Model& model);

/// Cuts a model into `pieces` pieces of whole blocks, in forward order, so that the slowest piece is as fast as
/// possible. Times are forward and backward by roofline_layer_times(); recomputation counts as backward. Throws
/// std::invalid_argument for more pieces than blocks, and where `wanted` cannot be kept.
std::vector<PieceShape> piece_shapes(const Model& model, const Gpu& gpu, Precision precision, double batch, int pieces,
                                     Recompute recompute = Recompute::none, const BlocksOfPieces& wanted = {});

/// Each block of a model as a piece of its own, with the same times.
std::vector<PieceShape> block_shapes(const Model& model, const Gpu& gpu, Precision precision, double batch,
                                     Recompute recompute);

/// Returns how many blocks of a model have a numbered name.
int numbered_blocks_of(const Model& model);

} // namespace ddlsim
