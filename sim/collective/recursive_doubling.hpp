#pragma once
// Recursive-doubling all-reduce: whole vectors exchanged in pairs, log2 n times; what MPI libraries do with short
// vectors (Thakur, Rabenseifner, Gropp, Int. J. High Perform. Comput. Appl. 19, 2005).

#include "sim/collective/schedule.hpp"
#include "sim/network/machine.hpp"

namespace ddlsim {

/// Time of one recursive-doubling all-reduce of `size_bytes`, seconds; 0 for one rank.
///
/// As halving-doubling (sim/collective/halving_doubling.hpp, whose pairs, first(S) and e_k these are), but step k
/// exchanges all S bytes, and there is no way back:
///   T = max( first(S) + sum over k with 2^(k+1) | r of e_k below r,  the same sum above r ) + sum over other k of e_k
///       + last(S)                                     the ranks that did not take part get the sum, if there are any
/// On one GPU a node, n a power of two: T = log2 n (latency + S/rate).
/// Equal to the full run (1e-6) where halving-doubling is, else within 12 % of it
/// (tests/simgrid/engine_choice_test.cpp) without a slow node or leaves. Throws std::invalid_argument when a link
/// in use has no rate.
double recursive_doubling_all_reduce_s(const Machine& machine, double size_bytes);

/// Every message of it.
Schedule recursive_doubling_schedule(const Machine& machine, double size_bytes);

} // namespace ddlsim
