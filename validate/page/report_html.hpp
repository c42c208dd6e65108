#pragma once
// The page of `ddlsim validate --html`.

#include "validate/validation.hpp"

#include <string>

namespace ddlsim {

/// One page that loads nothing else: tables by split and cluster, predicted against measured times, residuals by scale,
/// strategy and source with values on hover, series with large errors, and a table of every scored point. It is
/// well-formed XML; the same result gives the same bytes.
std::string validation_html(const ValidationResult& result);

} // namespace ddlsim
