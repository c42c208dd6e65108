#pragma once
// The uncertainty of the estimate of a one-GPU time, and how much of it a stack and a model share.

#include "sim/compute/one_gpu_estimate.hpp"
#include "sim/formats/prior.hpp"

#include <vector>

namespace ddlsim {

/// Returns the standard deviation of ln(true / estimated) of the one-GPU time. It is the width that the user stated; or
/// the width of the blend of other GPUs' records; or else the root of the sum of squares of all error sources, of which
/// one is the disagreement among records. Throws UserError when the prior of an error source is missing.
double width_of_estimate(const OneGpuEstimate& evidence, const std::vector<Prior>& priors);

/// Returns the priors with the widths of the compute factors set to width_of_estimate(). For a time that was not
/// measured here, most of the width is shared by the stack (compute_stack) and by the model's batches (compute_model);
/// the batch's own part has the name `evidence.prior`. Throws UserError as width_of_estimate() does.
std::vector<Prior> widen_priors(std::vector<Prior> priors, const OneGpuEstimate& evidence);

} // namespace ddlsim
