#pragma once
// The tokens that a block's experts on other ranks get, and their way back.

#include "sim/compute/piece_shape.hpp"
#include "sim/formats/strategy.hpp"
#include "sim/iteration/graph.hpp"
#include "sim/network/machine.hpp"

#include <vector>

namespace ddlsim {

/// Share of an overlapped exchange of tokens that compute still waits for. Judgement: its kernels take a few of the
/// multiprocessors, and the first and the last half of a micro-batch have nothing beside them.
inline constexpr double seen_of_overlapped_exchange = 0.1;

/// Of `places` with equally many of the experts each, the expected number that have one of the experts that a token
/// chooses, each choice as likely as any other.
double places_with_a_choice(double experts, double chosen, double places);

/// The exchanges of the tokens of a piece, to the experts and back in each block, without stream and group. Their bytes
/// are of a sample in fp32. With deepep a token is sent once to each rank with a chosen expert (Zhao et al., DeepEP,
/// intranode kernels), and where the group is on several nodes once to each node, whose ranks pass it on over NVLink
/// (its internode kernels).
Operation exchange_of_tokens(const PieceShape& piece, const ModelParallelOptions& options, const Machine& group,
                             bool forward);

/// Where ranks compute an expert together: the gather of the tokens that reached any of them, and the scatter of what
/// they make of these.
std::vector<Operation> tokens_of_group(const PieceShape& piece, const ModelParallelOptions& options, bool forward);

/// Bytes of one block, a sample in fp32, that a tensor group gathers twice. Before experts on several ranks it gathers
/// no states, because each rank sends those that it has.
double gathered_bytes(const PieceShape& piece, const ModelParallelOptions& options);

} // namespace ddlsim
