#pragma once
// The ways to sum a vector over all ranks, by name.

#include "sim/formats/names.hpp"
#include "sim/network/machine.hpp"

namespace ddlsim {

/// Time of one all-reduce of `size_bytes` when nothing else uses the links, seconds; 0 for one rank. The formulas are
/// in ring.hpp, hierarchical_ring.hpp, tree.hpp and halving_doubling.hpp. The rings know a slow node; for the two
/// others every NIC counts as slow as the slow node's, which is an upper bound. Throws std::invalid_argument when a
/// link in use has no rate.
double all_reduce_s(const Machine& machine, double size_bytes, Algorithm algorithm);

} // namespace ddlsim
