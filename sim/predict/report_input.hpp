#pragma once
// What a report says of storage and decoding.

#include "sim/predict/prediction.hpp"

#include <string>

namespace ddlsim {

/// What storage must deliver at that point, how many cores must decode, and which of them is the limit; "" where the
/// scenario has no input.
std::string input_sentences(const PredictedPoint& point);

/// The same in lines of a terminal, at the largest scale that can be, and what limits smaller ones where it is another
/// thing.
std::string input_lines(const StrategyAnswer& answer);

} // namespace ddlsim
