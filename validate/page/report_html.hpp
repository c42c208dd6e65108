#pragma once
// The HTML page that `ddlsim validate --html` writes.

#include "validate/validation.hpp"

#include <string>

namespace ddlsim {

/// Returns one page that loads nothing else: tables by split and cluster; predicted against measured times; residuals
/// by scale, strategy and source with values under the pointer; series with large errors; and a table of every scored
/// point. It is well-formed XML. The same result gives the same bytes.
std::string validation_html(const ValidationResult& result);

} // namespace ddlsim
