#pragma once
// The pieces of a pipeline as sharded data parallelism cuts them: units, whose parameters are gathered, used and freed
// together.

#include "sim/compute/piece_shape.hpp"
#include "sim/compute/unit_shape.hpp"

#include <vector>

namespace ddlsim {

/// The units of one piece. A unit is one of UnitShape; layers of no block are the piece's root.
struct PieceUnits {
  UnitShape shape;
  std::vector<PieceShape> stages; ///< what the stages of `shape` are, in the same order
};

/// Returns the units of each piece. Shares are those of the whole model, as in `pieces`.
std::vector<PieceUnits> units_of_pieces(const Model& model, const Gpu& gpu, Precision precision, double batch,
                                        Recompute recompute, const std::vector<PieceShape>& pieces);

} // namespace ddlsim
