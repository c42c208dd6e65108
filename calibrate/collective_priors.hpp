#pragma once
// What is believed of a collective's law before any of its times is seen.

#include "calibrate/law_fit.hpp"
#include "sim/files/collective_curve.hpp"

namespace ddlsim {

/// Median and width of a, B and kappa from the transport, the library and how many ranks and nodes take part. The
/// latency is a launch and the hops of a ring (2(n-1) of which ceil(2(n-1)N/n) cross the network) or, for MPI, the
/// log2 n steps of recursive doubling; the rate is the path's over 2(n-1)/n. `link_rate_Bps`: what one node sends over
/// the wire, 0 where it is not known.
LawPrior collective_prior(const CollectiveKey& key, double link_rate_Bps);

/// True of libraries that start their ranks' work as kernels on GPUs.
bool is_gpu_library(const CollectiveKey& key);

} // namespace ddlsim
