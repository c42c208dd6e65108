#pragma once
// Repeated blocks of layers: a model's file describes the equal blocks of a transformer (126 in one model) once.

#include "sim/formats/model.hpp"

#include <string_view>

namespace ddlsim {

/// Stands for the number of the block in the names of its layers and tensors: "block{i}.norm1".
inline constexpr std::string_view block_number = "{i}";
/// Largest allowed number of a first block: nine digits, more than any framework uses.
inline constexpr long largest_block_number = 999'999'999;
/// A model has no more layers than a list in a file has elements (max_document_elements).
inline constexpr long most_layers = 100'000;

/// Layers that are repeated `repeat` times: as block `first`, block `first` + 1, and so on.
struct LayerBlock {
  long repeat = 1; ///< number of blocks; with 1 the layers are not repeated, and {i} in their names is plain text
  long first = 0;  ///< number of the first block
  std::vector<Layer> layers; ///< layers of one block
};

/// Returns the same layers with equal blocks described once. Blocks are equal when kinds, FLOP, bytes and shapes are
/// the same and names differ only in the block's number, which increases by one.
std::vector<LayerBlock> equal_blocks(const std::vector<Layer>& layers);

/// Returns the layers of all blocks in order, as they were before equal_blocks().
std::vector<Layer> layers_of(const std::vector<LayerBlock>& blocks);

/// Returns the memory that a layer takes, including names and shapes; repeating the layer costs as much.
double held_bytes(const Layer& layer);

} // namespace ddlsim
