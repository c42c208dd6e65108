#pragma once
// What a report says of storage and decoding.

#include "sim/predict/prediction.hpp"

#include <string>

namespace ddlsim {

/// At the largest scale that can be: what storage must deliver, how many cores must decode, and which of them is the
/// limit; "" where the scenario has no input.
std::string input_lines(const StrategyAnswer& answer);

} // namespace ddlsim
