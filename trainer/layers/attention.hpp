#pragma once
// The parts of multi-head attention that hold no weights. Hidden states are [batch, tokens, width]; the width is split
// evenly over the heads. Scores are [batch, heads, tokens, tokens].

#include "trainer/layers/units.hpp"

namespace ddltrain {

/// Inputs: queries, keys. Output: their products, head by head.
UnitPtr attention_scores(std::int64_t heads);

/// Inputs: scores, mask of ones and zeros [batch, tokens]. Output: scores / sqrt(head width), lowered where the mask is
/// zero so that the softmax gives nothing there.
UnitPtr attention_mask(std::int64_t head_width);

/// Inputs: probabilities, values. Output: the values weighted by them, heads joined again.
UnitPtr attention_context(std::int64_t heads);

/// Inputs: hidden states, positions [batch, picked]. Output: the states at those positions, [batch, picked, width].
UnitPtr pick_positions();

} // namespace ddltrain
