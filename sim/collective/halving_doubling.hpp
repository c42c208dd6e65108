#pragma once
// Halving-doubling all-reduce: recursive halving as reduce-scatter, recursive doubling as all-gather (Rabenseifner,
// ICCS 2004; Thakur, Rabenseifner, Gropp, Int. J. High Perform. Comput. Appl. 19, 2005).

#include "sim/collective/schedule.hpp"
#include "sim/network/machine.hpp"

namespace ddlsim {

/// Time of one halving-doubling all-reduce of `size_bytes`, seconds; 0 for one rank.
///
/// With p the largest power of two in n ranks and r = n - p: the even ones of the first 2r ranks give their vector to
/// their right neighbours first and get the sum from them last. The other p ranks are numbered in order; in step
/// k = 0 .. log2 p - 1 number j exchanges S/2^(k+1) bytes with number j xor 2^k, nearest first, so that the largest
/// messages stay in the node; then the same steps backwards. All ranks are in step, except that numbers below r and
/// numbers above r do not wait for each other while 2^(k+1) divides r:
///   T   = 2 [ max( first(S) + sum over such k of e_k below r,  sum over such k of e_k above r )
///             + sum over other k of e_k ]
///   e_k = max( latency_intra + m/rate_intra                        if some pair is inside a node,
///              latency_net + m max(c_k/rate_nic, l_k/rate_uplink)  if some pair is not ),    m = S/2^(k+1)
/// c_k ranks of the busiest node have their partner outside it, and l_k ranks of the busiest leaf. first(S) is the
/// exchange of the first 2r ranks, by the same formula; at most one of its pairs lies across each border. On one GPU a
/// node, n a power of two: T = 2 log2 n latency + 2(n-1)/n S/rate.
///
/// Equal to the full run (1e-6) on one switch with full nodes of 2^a ranks, any number of them. With short last nodes,
/// other nodes or leaves some pairs are ahead of others: 6 % too fast to 28 % too slow on up to 64 ranks
/// (tests/simgrid/full_all_reduce_test.cpp). O(g log n), on fat-trees O(ranks of a leaf x log n).
/// Throws std::invalid_argument when a link in use has no rate.
double halving_doubling_all_reduce_s(const Machine& machine, double size_bytes);

/// The schedule of all messages of one such all-reduce.
Schedule halving_doubling_schedule(const Machine& machine, double size_bytes);

} // namespace ddlsim
