#pragma once
// The peak of a GPU's memory in a report.

#include "sim/predict/prediction.hpp"

#include <string>

namespace ddlsim {

/// "61 of 80 GiB"; with ", tight" where it is; "61 GiB" where the GPU's memory is not known.
std::string peak_memory_text(const PredictedPoint& point);

/// The peak of the scale that needs most, unless a table shows all, and what would fit where one is tight.
std::string memory_lines(const StrategyAnswer& answer);

} // namespace ddlsim
