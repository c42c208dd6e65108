#pragma once
// Equal blocks of layers: a model's file names the 126 blocks of a transformer once.

#include "sim/formats/model.hpp"

#include <string_view>

namespace ddlsim {

/// Stands in the names of a block's layers and tensors for the number of the block: "block{i}.norm1".
inline constexpr std::string_view block_number = "{i}";
/// Largest number of a first block: nine digits, more than any framework counts to.
inline constexpr long largest_block_number = 999'999'999;
/// A model has no more layers than a list in a file has elements (max_document_elements).
inline constexpr long most_layers = 100'000;

/// Layers that come `repeat` times in turn: those of block `first`, of block `first` + 1, and so on.
struct LayerBlock {
  long repeat = 1;           ///< 1: layers that stand alone, and {i} in their names is nothing but text
  long first = 0;            ///< number of the first block
  std::vector<Layer> layers; ///< of one block
};

/// The same layers with equal blocks named once. Blocks are equal when kinds, FLOP, bytes and shapes are, and names are
/// up to the number of the block, which goes up by one.
std::vector<LayerBlock> equal_blocks(const std::vector<Layer>& layers);

/// The layers of all blocks in turn, as they were before equal_blocks().
std::vector<Layer> layers_of(const std::vector<LayerBlock>& blocks);

/// Memory of a layer, names and shapes included: what repeating it costs.
double held_bytes(const Layer& layer);

} // namespace ddlsim
