#pragma once
// Texts that the screen and the report of a diagnosis share.

#include "diagnose/diagnose.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// A probability as text: "12 %"; "0.1 % or less" if 999 draws cannot distinguish it from zero.
std::string chance_text(double chance);

/// A point's name: "iteration", "all-reduce of 16 MiB".
std::string point_text(const Observation& one);

/// The deviation from the expected time: "+43 %", and never "-0 %".
std::string deviation_text(const ComparedPoint& one);

/// Bus bandwidth in bytes/s of a collective that takes `time_s`.
double bus_Bps(const Observation& one, double time_s);

/// The probabilities in whole per cent that add up to 100: the largest remainders are rounded up.
std::vector<int> percents_of(const std::vector<Cause>& causes);

/// A cause with its severity: "the network of a node (NIC, cable, port), 1.9 times as slow as it should be (1.6 to
/// 2.3)".
std::string cause_text(const Cause& cause);

} // namespace ddlsim
