#pragma once
// What a person reads of the fit of single GPUs.

#include "calibrate/fit/compute_fit.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// A table of the lines (fixed part, time and rate a sample, batches, records, leave-one-out error), then what was
/// excluded and why, warnings, and what to measure next: a second batch where there is one, a third where the line has
/// no error of its own. "" when there is nothing to say.
std::string to_text(const ComputeFit& fit);

/// One sentence for each line that one more measurement would help most, the widest first; at most `most`.
std::vector<std::string> compute_measure_next(const std::vector<BatchLine>& lines, std::size_t most);

} // namespace ddlsim
