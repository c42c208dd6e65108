#pragma once
// Numbers as a person reads them in a table.

#include <string>

namespace ddlsim {

std::string seconds_text(double time_s); ///< "367.2 ms"
std::string percent_text(double share);  ///< "95.9 %"

} // namespace ddlsim
