#pragma once
// Cross entropy, as the two layers it runs as.

#include "trainer/layers/units.hpp"

namespace ddltrain {

/// Logarithm of the softmax over the last dimension.
UnitPtr log_softmax();

/// Inputs: log-probabilities [batch, ..., classes], classes to find [batch, ...]. Output: mean negative
/// log-likelihood of each sample, [batch].
UnitPtr negative_log_likelihood();

} // namespace ddltrain
