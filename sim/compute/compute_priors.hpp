#pragma once
// The uncertainty of the estimate of a one-GPU time, and how much of it a stack and a model share.

#include "sim/compute/one_gpu_estimate.hpp"
#include "sim/formats/prior.hpp"

#include <vector>

namespace ddlsim {

/// Returns the standard deviation of ln(true / estimated) of the one-GPU time: the root of the sum of squares of all
/// its error sources, disagreement among records included; or the width that the user stated; or the width of the blend
/// of other GPUs' records. Throws UserError when the prior of an error source is missing.
double width_of_estimate(const OneGpuEstimate& evidence, const std::vector<Prior>& priors);

/// Returns the priors, with those of the compute factors as wide as width_of_estimate(). For a time that was not
/// measured here, most of the width is shared by the stack (compute_stack) and by the model's batches (compute_model);
/// the batch's own part is named `evidence.prior`. Throws UserError as width_of_estimate() does.
std::vector<Prior> widen_priors(std::vector<Prior> priors, const OneGpuEstimate& evidence);

} // namespace ddlsim
