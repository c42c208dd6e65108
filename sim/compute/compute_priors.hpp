#pragma once
// How uncertain the estimate of a one-GPU time is, and how much of that uncertainty a stack and a model share.

#include "sim/compute/one_gpu_estimate.hpp"
#include "sim/formats/prior.hpp"

#include <vector>

namespace ddlsim {

/// Standard deviation of ln(true / estimated) of the time itself: of all its error sources together, disagreement among
/// them: root of the sum of their squares; or what the asker stated; or what the blend of other GPUs' records says.
/// Throws UserError when a prior of an error source is missing.
double width_of_estimate(const OneGpuEstimate& evidence, const std::vector<Prior>& priors);

/// The priors, with those of the compute factors as wide as width_of_estimate(). Of a time that was not measured here
/// most is shared by the stack (compute_stack) and by the model's batches (compute_model), and the batch's own part has
/// the name of `evidence.prior`. Throws UserError as width_of_estimate().
std::vector<Prior> widen_priors(std::vector<Prior> priors, const OneGpuEstimate& evidence);

} // namespace ddlsim
