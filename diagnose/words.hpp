#pragma once
// Texts that the screen and the report of a diagnosis share.

#include "diagnose/diagnose.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Writes a probability, as in "12 %"; "0.1 % or less" if 999 draws cannot distinguish it from zero.
std::string chance_text(double chance);

/// Returns a point's name, as in "iteration" or "all-reduce of 16 MiB".
std::string point_text(const Observation& one);

/// Writes the deviation from the expected time, as in "+43 %", and never "-0 %".
std::string deviation_text(const ComparedPoint& one);

/// Bus bandwidth of a collective that takes `time_s`, B/s.
double bus_Bps(const Observation& one, double time_s);

/// Returns the probabilities in whole per cent that add up to 100: those with the largest remainders are rounded up.
std::vector<int> percents_of(const std::vector<Cause>& causes);

/// Returns a cause with its severity, as in "the network of a node (NIC, cable, port), 1.9 times as slow as it should
/// be (1.6 to 2.3)".
std::string cause_text(const Cause& cause);

} // namespace ddlsim
