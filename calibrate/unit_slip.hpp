#pragma once
// A time in milliseconds where seconds were meant, or the like.

#include <string>

namespace ddlsim {

/// True of a logarithm of a ratio that no machine explains: 100 times and more. Units are 1000 apart; rooflines are
/// within a factor 3 of every published CNN rate, and no world of the priors is off by 100.
bool is_unit_slip(double ln_ratio);

/// "about 1000 times longer than the device allows: a slip of the unit (s, ms or us)?"; `than`: "the device allows".
std::string unit_slip_text(double ln_ratio, const std::string& than);

} // namespace ddlsim
