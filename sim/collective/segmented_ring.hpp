#pragma once
// Ring all-reduce whose chunks travel in segments, as in Gloo.

#include "sim/network/machine.hpp"

namespace ddlsim {

/// Number of segments that a rank has in flight at the same time.
inline constexpr int segments_in_flight = 2;

/// Number of segments of each of the n chunks: two, or more where a segment would exceed 1 MiB (kMaxSegmentSize and
/// ring() of pytorch/gloo gloo/allreduce.h and allreduce.cc, 70dc360).
int segments_of_chunk(const Machine& machine, double size_bytes);

/// Time of one such all-reduce of `size_bytes`, seconds; 0 for one rank.
///
/// Each half, reduce-scatter and all-gather, passes m = k (n-1) segments of w = S/(k n) bytes over every edge of the
/// ring of sim/collective/ring.hpp, k segments a chunk. Segment i leaves a rank when segment i-1 has left it and
/// segment i-2 has come to it; the second half begins when a rank has all segments of the first. With b_e = w/rate_e
/// and a_e the latency of edge e:
///   leaves(e, i) = max( leaves(e, i-1) + b_e,  leaves(e-1, i-2) + b_(e-1) + a_(e-1) )
/// A path through the two halves goes along R_1 edges up to edge p in the first, and along R_2 edges from p+1 on, or
/// from p on, in the second:
///   H(run of R edges) = sum of (b_e + a_e) + (m + 1 - 2R) max b_e,       1 <= R <= (m+1)/2
///   T = max over p of max( H(.. p) + H(p+1 ..),  H(.. p) + H(p ..) - a_p ),  H the largest of the runs that end, or
///   begin, there
/// On equal edges and even m: T = m max(2b, a + b) + 2 min(a, b), where a plain ring of chunks takes m (a + 2b) with
/// two segments. The formula equals the full run (1e-6), except with a slow node, and with short nodes or leaves beyond
/// 256 ranks, which count as full: tests/simgrid/formula_range.hpp. O(p^2) in the p ranks of a node or of a leaf, or in
/// all ranks up to 256. Throws std::invalid_argument when an edge in use has no rate.
double segmented_ring_all_reduce_s(const Machine& machine, double size_bytes);

} // namespace ddlsim
