#pragma once
// A model as a pipeline cuts it: pieces of layers that follow each other, as equal in time as whole blocks allow.

#include "sim/formats/gpu.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/names.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Layers of a model that are never cut apart, because a sum may go round them: those that share the first word of
/// their name and the numbers behind it. "block12.attention.query" is of block12, "layer1.0.conv1" of layer1.0, and
/// "features.3" is a block of its own.
std::string block_name_of(const std::string& layer);

/// How many of them a model has: the most pieces that it can be cut into.
int blocks_of(const Model& model);

/// What of a piece is computed once more before its backward.
struct RecomputedShape {
  double forward = 0;        ///< share of the model's forward
  double expert_forward = 0; ///< of that share
  double output_bytes = 0;   ///< of these layers: a sample, fp32
  double largest_bytes = 0;  ///< of these, in the block that has most
  double input_bytes = 0;    ///< what blocks take in that are computed again whole, the same
  double inner_bytes = 0;    ///< as in PieceShape, of cut layers in such blocks
  int cut_layers = 0;        ///< in such blocks
  int attentive_blocks = 0;  ///< such blocks, with attention
  int expert_blocks = 0;     ///< such blocks, with experts
  int key_blocks = 0;        ///< blocks whose attention is computed again
};

/// One piece.
struct PieceShape {
  std::string name;         ///< "block0 .. block7"; "fc"
  double forward = 0;       ///< share of the model's forward
  double backward = 0;      ///< share of its backward
  double parameters = 0;    ///< scalars
  double sent_bytes = 0;    ///< output of the last layer, which the next piece needs: a sample, fp32
  double output_bytes = 0;  ///< of all layers, the same
  double inner_bytes = 0;   ///< what tensor parallelism gathers, the same: outputs of its blocks that have attention,
                            ///< or of its cut layers
  double key_bytes = 0;     ///< keys and values of those blocks, the same: what context parallelism gathers
  int attentive_blocks = 0; ///< with attention
  int cut_layers = 0;       ///< with weights, of a model without attention: tensor parallelism cuts each by its outputs
  double expert_parameters = 0; ///< scalars, of those above
  double expert_forward = 0;    ///< of the share above
  double expert_backward = 0;   ///< the same
  double routed_bytes = 0;      ///< outputs of its blocks' experts, of each token once an expert: a sample, fp32
  int expert_blocks = 0;        ///< with experts
  RecomputedShape again{};
};

/// Whether a layer is of one of a block's experts: "block3.expert12.up".
bool is_of_expert(const std::string& layer);

/// Experts of the block that has most; 0: a model without.
int experts_of(const Model& model);

/// Blocks with a layer of attention: those that tensor parallelism cuts, where a model has some.
int attentive_blocks_of(const Model& model);

/// Whether a layer multiplies by a matrix or a filter: what tensor parallelism cuts of a model without attention, one
/// output channel after the other.
bool has_weights(const Layer& layer);

/// Whether every block with attention names the layers that make its keys and values: "key" and "value", or
/// "query_key_value".
bool has_keys_and_values(const Model& model);

/// So many pieces of whole blocks, in forward order, of which the slowest is as fast as can be (forward and backward by
/// roofline_layer_times(), what is computed again with backward). Throws std::invalid_argument for more pieces than blocks.
std::vector<PieceShape> piece_shapes(const Model& model, const Gpu& gpu, Precision precision, double batch, int pieces,
                                     Recompute recompute = Recompute::none);

} // namespace ddlsim
