#pragma once
// Calibrated parameters in words.

#include "sim/formats/calibration.hpp"

#include <string>

namespace ddlsim {

/// "nccl-ib, horovod, fp32"; "all" of a scope that names nothing.
std::string scope_text(const CalibrationScope& scope);

/// Three digits in the unit that a person reads: us, ms, GB/s; a bare number of unit "1".
std::string value_text(double value, const std::string& unit);

/// Standard deviations from the middle to an end of a 90 % interval of a normal distribution.
inline constexpr double upper_95 = 1.645;

} // namespace ddlsim
