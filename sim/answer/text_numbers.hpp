#pragma once
// Numbers as a person reads them in a table.

#include <string>

namespace ddlsim {

std::string seconds_text(double time_s);     ///< "367.2 ms"
std::string rate_text(double samples_per_s); ///< four significant digits, never as a power of ten: 348.6, 10120
std::string percent_text(double share);      ///< "95.9 %"

} // namespace ddlsim
