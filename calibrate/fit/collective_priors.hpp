#pragma once
// Priors of the constants of a collective's alpha-beta law.

#include "calibrate/fit/alpha_beta_fit.hpp"
#include "sim/formats/collective_curve.hpp"

#include <vector>

namespace ddlsim {
/// Median and width of a, B and overlap from the transport, the library and how many ranks and nodes take part. The
/// latency is a launch and the hops of a ring (2(n-1) of which ceil(2(n-1)N/n) cross the network) or, for MPI, the
/// log2 n steps of recursive doubling; the rate is the path's over 2(n-1)/n. `link_rate_Bps`: what one node sends over
/// the wire, 0 where it is not known.
AlphaBetaPrior collective_prior(const CollectiveKey& key, double link_rate_Bps);

/// True of libraries that start their ranks' work as kernels on GPUs.
bool is_gpu_library(const CollectiveKey& key);

// How far a fitted curve of time over size can be trusted.

/// Neighbouring sizes between which the time leaves the law by 15 % or more; where the table wanders much, by four
/// times what is usual between its neighbours, but never more than twice that (ln 1.15 x 2).
std::vector<CurveJump> find_jumps(const CollectiveCurve& curve);

/// Mean and worst of the errors, one a point of the curve (ln(predicted / measured), each from the others; none: not
/// known), and the wander they show.
void put_leave_one_out_errors(const std::vector<double>& errors, CollectiveCurve& curve);

} // namespace ddlsim
