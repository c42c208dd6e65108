#pragma once
// Fitted curves of collectives as a person reads them.

#include "calibrate/fit/collective_fit.hpp"

#include <string>

namespace ddlsim {

/// One curve: its records, constants with errors, how well sizes are predicted from the others, jumps, a chart of
/// time over size, what was excluded, and which sizes to measure next. Lines, each ended.
std::string collective_text(const CollectiveFit& fit);

/// All curves, a line each: sizes, mean and worst leave-one-out error, jumps; then what reached no curve.
std::string collectives_table(const CollectiveFits& fits);

/// "4 B", "256 KiB", "8 MiB" where that is exact, else "12.39 MB".
std::string size_text(double size_bytes);

} // namespace ddlsim
