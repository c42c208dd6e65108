#pragma once
// The page of `ddlsim validate --html`.

#include "validate/validation.hpp"

#include <string>

namespace ddlsim {

/// One page that needs nothing else: tables by split and cluster, predicted against measured, residuals by scale,
/// strategy and source with values on hover, series far off, every scored point in a table. Well-formed as XML; the
/// same bytes for the same result.
std::string validation_html(const ValidationResult& result);

} // namespace ddlsim
