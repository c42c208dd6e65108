#pragma once
// The uncertainty of the estimate of a one-GPU time as priors: how much of it a stack and a model share.

#include "sim/compute/one_gpu_estimate.hpp"
#include "sim/formats/prior.hpp"

#include <vector>

namespace ddlsim {

/// Returns the standard deviation of ln(true / estimated) of a one-GPU time that was not measured here.
double width_of_estimate(const OneGpuEstimate& estimate);

/// Returns the priors with those of the factors of a one-GPU time as wide as the estimate says. A measured time has one
/// factor, compute_measured, which is wider where records disagree, and as wide as the user states. Others have
/// compute_stack, compute_model and, for the batch, compute_estimated. Throws UserError when `priors` lacks
/// compute_measured.
std::vector<Prior> with_compute_priors(std::vector<Prior> priors, const OneGpuEstimate& estimate);

} // namespace ddlsim
