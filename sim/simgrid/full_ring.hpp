#pragma once
// Ring all-reduce with every rank a SimGrid actor and every chunk a message.

#include "sim/network/machine.hpp"

#include <vector>

namespace ddlsim {

/// Times of one ring after another, seconds. Only inside run_in_child: it starts SimGrid.
std::vector<double> simulate_ring_all_reduces(const Machine& machine, const std::vector<double>& sizes_bytes);

} // namespace ddlsim
