#pragma once
// One split of a validation as a section of the page.

#include "validate/validation.hpp"

#include <string>

namespace ddlsim {

/// Heading, scores by cluster, four charts of `method`, the series it misses by much, and a table with every point.
/// Points are numbered by their place in result.points. "" when the split has no points.
std::string html_split(const ValidationResult& result, const std::string& split, const std::string& method);

/// Anchor of the section.
std::string html_split_id(const std::string& split);

/// Mean errors of one row of a score table, the least of them marked; `points` is how many the fullest answered.
std::string html_error_cells(const std::vector<const Score*>& scores);

} // namespace ddlsim
