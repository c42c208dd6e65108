#pragma once
// A validation as text for people and as JSON for programs.

#include "sim/formats/file_formats.hpp"
#include "validate/validation.hpp"

#include <string>

namespace ddlsim {

/// At most twenty lines of eighty columns: for each split the error and the coverage, beside the best baseline; then the
/// series that are farthest off.
std::string validation_screen_text(const ValidationResult& result);

/// Returns the first sentence of that screen: the mean error of the first split, and the coverage.
std::string validation_verdict(const ValidationResult& result);

/// Returns the method with the least error of those that answered as many points of the split as `own`; null when no
/// other did.
const SplitScore* best_rival(const ValidationResult& result, const SplitScore& own);

/// Returns plain text of at most 110 columns. For every split it has a table of mean errors in per cent by cluster and
/// method, the figures over all clusters, the comparison with the reference, the ranking, and the series with large
/// errors. A table shows at most seven methods; more methods make more tables.
std::string validation_text(const ValidationResult& result);

/// JSON with the keys that `ddlsim schema validation` lists, numbers to 9 significant digits. Errors are ratios, 0.05
/// for 5 %.
std::string validation_json(const ValidationResult& result);
FileFormat validation_format();

// The parts of which the reports are made.

/// Returns a split's heading, as in "T1: calibrated on one node; every larger scale predicted".
std::string split_title(const std::string& split);

/// Returns the split's series with large errors and their explanations, some lines each; "" if there are none.
std::string explained_text(const ValidationResult& result, const std::string& split);

/// Returns an explanation as text, as in "nic_efficiency 0.5 instead of 0.8 (at -1.2 prior widths, not +0.1) leaves 3.1
/// %".
std::string explanation_text(const ParameterExplanation& explanation);

} // namespace ddlsim
