#pragma once
// The peak of a GPU's memory in a report.

#include "sim/predict/prediction.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// "61 of 80 GiB"; with ", tight" or ", does not fit"; "61 GiB" where the GPU's memory is not known.
std::string peak_memory_text(const PredictedPoint& point);

/// The peak of the scale that needs most, and what would fit, of the first scale that needs that; empty where no scale is
/// possible.
std::vector<std::string> memory_sentences(const StrategyAnswer& answer);

/// The same in lines for a terminal, without the peak where a table shows all.
std::string memory_lines(const StrategyAnswer& answer);

} // namespace ddlsim
