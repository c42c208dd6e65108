#pragma once
// Why a model cannot be cut into stages, matrices or heads as model parallelism asks, and what to do. Each function
// returns "" where it can.

#include "sim/compute/piece_cut.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/strategy.hpp"

#include <string>

namespace ddlsim {

/// The numbers of blocks that the pieces of the first and of the last stage must have; empty where none is stated.
BlocksOfPieces blocks_of_pieces(const ModelParallelOptions& options);

/// More stages than blocks, or stages that cannot have as many blocks as stated.
std::string stage_complaint(const Model& model, const ModelParallelOptions& options);

/// A block's matrix of which a tensor group can cut neither side evenly.
std::string matrix_complaint(const Model& model, const ModelParallelOptions& options);

/// Fewer heads of keys than ranks that exchange sequences for heads. A layer table does not say how wide a head is; none
/// of the shipped models has heads of fewer than 64 numbers.
std::string head_complaint(const Model& model, const ModelParallelOptions& options);

/// Groups that share one copy of the state and do not come out whole.
std::string shard_group_complaint(const ModelParallelOptions& options, int sharers, int sharers_of_node);

} // namespace ddlsim
