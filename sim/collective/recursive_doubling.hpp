#pragma once
// Recursive-doubling all-reduce: pairs of ranks exchange whole vectors, log2 n times. MPI libraries use it for short
// vectors (Thakur, Rabenseifner, Gropp, Int. J. High Perform. Comput. Appl. 19, 2005).

#include "sim/collective/schedule.hpp"
#include "sim/network/machine.hpp"

namespace ddlsim {

/// Time of one recursive-doubling all-reduce of `size_bytes`, seconds; 0 for one rank.
///
/// It is like halving-doubling (sim/collective/halving_doubling.hpp defines the pairs, first(S) and e_k), but step k
/// exchanges all S bytes, and the steps are not repeated backwards:
///   T = max( first(S) + sum over k with 2^(k+1) | r of e_k below r,  the same sum above r ) + sum over other k of e_k
///       + last(S)                                     the ranks that did not take part get the sum, if there are any
/// On one GPU a node, n a power of two: T = log2 n (latency + S/rate).
/// The formula equals the full run (1e-6) where that of halving-doubling does; else it is within 12 %
/// (tests/simgrid/engine_choice_test.cpp) without a slow node or leaves. Throws std::invalid_argument when a link
/// in use has no rate.
double recursive_doubling_all_reduce_s(const Machine& machine, double size_bytes);

/// The schedule of all messages of one such all-reduce.
Schedule recursive_doubling_schedule(const Machine& machine, double size_bytes);

} // namespace ddlsim
