#pragma once
// Units as people write them: "Gbit/s", "TFLOPS", "days", "$".

#include "sim/base/units.hpp"

#include <string>
#include <string_view>

namespace ddlsim {

/// The unit as units.cpp names it: "Gbit/s" is Gbps, "days" is d, "TFLOPS" is TFLOP/s. "" for a word of none, and for
/// one that leaves bits or bytes open: "gb/s", "GBps" and "G".
std::string usual_unit(std::string_view unit, Dimension dimension);

/// "write GB/s (bytes) or Gb/s (bits)" for a rate that can mean either, a factor of eight apart; "" for any other.
std::string bits_or_bytes(std::string_view unit);

} // namespace ddlsim
