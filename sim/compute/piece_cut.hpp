#pragma once
// Where a model is cut into pieces of whole blocks.

#include <cstddef>
#include <vector>

namespace ddlsim {

/// The number of numbered blocks that each piece must have; 0: any number. Empty: any number in all pieces.
using BlocksOfPieces = std::vector<int>;

/// What a cut needs to know of a block.
struct BlockToCut {
  double time_s = 0;       ///< of its forward, its backward and what of it is recomputed
  int numbered_blocks = 0; ///< 1 where the block counts among those that a piece must have
};

/// Returns where pieces end, one past their last block, for the cut whose slowest piece is fastest. Dynamic
/// programming: the slowest of k pieces over the first b blocks is the minimum, over the places where the last piece
/// may begin, of the slower of that piece and the k-1 pieces before it. Empty where no cut is as `wanted`.
std::vector<std::size_t> balanced_ends(const std::vector<BlockToCut>& blocks, std::size_t pieces,
                                       const BlocksOfPieces& wanted);

} // namespace ddlsim
