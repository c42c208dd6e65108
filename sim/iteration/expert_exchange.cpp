#include "sim/iteration/expert_exchange.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

/// Copies of a token that travel, over those that its experts get.
double copies_sent(const PieceShape& piece, const Machine& group) {
  if (piece.experts_a_token <= 0) return 1;
  const int places = group.nodes() > 1 ? group.nodes() : group.ranks;
  return places_with_a_choice(piece.experts, piece.experts_a_token, places) / piece.experts_a_token;
}

/// Bytes of the tokens of one block's experts on the busiest rank, of a sample in fp32.
double routed_bytes(const PieceShape& piece, const ModelParallelOptions& options) {
  return options.imbalance() * piece.routed_bytes / piece.expert_blocks / options.context;
}

int blocks_of_pass(const PieceShape& piece, bool forward) {
  return piece.expert_blocks + (forward ? 0 : piece.again.expert_blocks);
}

} // namespace

double places_with_a_choice(double experts, double chosen, double places) {
  double none = 1; // chance that no chosen expert is at a place: C(experts - of_place, chosen) / C(experts, chosen)
  const double of_place = experts / places;
  for (int i = 0; i < static_cast<int>(chosen); ++i) none *= std::max(0.0, (experts - of_place - i) / (experts - i));
  return places * (1 - none);
}

Operation exchange_of_tokens(const PieceShape& piece, const ModelParallelOptions& options, const Machine& group,
                             bool forward) {
  constexpr int a_block = 2;
  const double copies = options.expert_exchange == ExpertExchange::deepep ? copies_sent(piece, group) : 1;
  Operation exchange{OperationKind::all_to_all};
  exchange.repeats = a_block * blocks_of_pass(piece, forward);
  exchange.size_bytes = copies * routed_bytes(piece, options) / options.tensor;
  return exchange;
}

std::vector<Operation> tokens_of_group(const PieceShape& piece, const ModelParallelOptions& options, bool forward) {
  std::vector<Operation> both;
  for (const auto kind : {OperationKind::all_gather, OperationKind::reduce_scatter}) {
    both.push_back({kind});
    both.back().repeats = blocks_of_pass(piece, forward);
    both.back().size_bytes = routed_bytes(piece, options);
  }
  return both;
}

double gathered_bytes(const PieceShape& piece, const ModelParallelOptions& options) {
  const double of_block = piece.inner_bytes / piece.attentive_blocks / options.context;
  const double with_experts = 1.0 * std::min(piece.expert_blocks, piece.attentive_blocks) / piece.attentive_blocks;
  return options.expert > 1 ? of_block * (1 - with_experts / 2) : of_block;
}

} // namespace ddlsim
