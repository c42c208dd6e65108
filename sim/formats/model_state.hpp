#pragma once
// How much memory the training of a model takes at least.

#include "sim/formats/model.hpp"

namespace ddlsim {

bool has_attention_layer(const Model& model);

/// Memory that training takes without sharding: weights, gradients, and the moments of the usual optimizer in fp32, two
/// with attention (AdamW), else one (SGD with momentum). Mixed precision divides the same bytes otherwise.
double training_state_bytes(const Model& model);

} // namespace ddlsim
