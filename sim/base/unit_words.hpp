#pragma once
// Spellings of units that people use: "Gbit/s", "TFLOPS", "days", "$".

#include "sim/base/units.hpp"

#include <string>
#include <string_view>

namespace ddlsim {

/// Returns the unit under its name in units.cpp: "Gbit/s" is Gbps, "days" is d, "TFLOPS" is TFLOP/s. Returns "" for a
/// word that is no unit, and for one that may mean bits or bytes: "gb/s", "GBps" and "G".
std::string usual_unit(std::string_view unit, Dimension dimension);

/// Returns "write GB/s (bytes) or Gb/s (bits)" for a rate that may mean either (they differ by a factor of eight); ""
/// for any other.
std::string bits_or_bytes(std::string_view unit);

} // namespace ddlsim
