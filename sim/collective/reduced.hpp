#pragma once
// An all-reduce of which one node, or one leaf, is followed and stands for all others.

#include "sim/collective/all_reduce.hpp"

#include <optional>

namespace ddlsim {

/// One sentence where the ranks are not alike enough; nothing where one period of them stands for all:
/// ring and hierarchical ring on full nodes (and full leaves where uplinks are narrower than NICs) without a slow node,
/// halving-doubling on one switch with full nodes of 2^a ranks. A double tree never: every node has another height.
std::optional<std::string> why_not_reduced(const Machine& machine, Algorithm algorithm);

/// Time of one all-reduce of `size_bytes`, seconds, step by step for the ranks of one period:
///   ring            start(e, s) = max(have(r, s), start(e, s-1) + w_e), have(r+1, s+1) = start(e, s) + w_e + latency_e
///                   where the rank after the period's last is, by symmetry, its first
///   hierarchical    that ring inside a node, the one over nodes, and the one inside again
///   halving-doubling  the steps of sim/collective/halving_doubling.hpp, each simulated once for the busiest node
/// O(steps x ranks of a period): 16,384 ranks, 8 a node, 0.3 million additions. Ask `why_not_reduced` first.
double reduced_all_reduce_s(const Machine& machine, double size_bytes, Algorithm algorithm);

} // namespace ddlsim
