#pragma once
// Words that the screen and the report of a diagnosis share.

#include "diagnose/diagnose.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// "12 %"; "0.1 % or less" for a chance that 999 draws cannot distinguish from zero.
std::string chance_text(double chance);

/// "iteration", "all-reduce of 16 MiB".
std::string point_text(const Observation& one);

/// "+43 %", and never "-0 %".
std::string deviation_text(const ComparedPoint& one);

/// Bus bandwidth, bytes/s, of a collective that takes so long.
double bus_Bps(const Observation& one, double time_s);

/// Whole percents that add up to 100: the largest remainders are rounded up.
std::vector<int> percents_of(const std::vector<Cause>& causes);

/// The named cause: "the network of a node (NIC, cable, port), 1.9 times as slow as it should be (1.6 to 2.3)".
std::string cause_text(const Cause& cause);

} // namespace ddlsim
