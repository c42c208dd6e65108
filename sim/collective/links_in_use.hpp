#pragma once
// Which links a collective over all ranks needs.

#include "sim/network/machine.hpp"

namespace ddlsim {

/// Ranks of a full node; of the only node where the machine has but one.
int ranks_of_full_node(const Machine& machine);

/// Ranks of that node; fewer in a short last one.
int ranks_of_node(const Machine& machine, int node);

/// More than one leaf: uplinks are passed.
bool has_leaves(const Machine& machine);

/// One node's NIC is not like the others'.
bool has_slow_node(const Machine& machine);

/// Throws std::invalid_argument when a kind of link that exists between these ranks has no rate above zero.
void require_rates(const Machine& machine);

} // namespace ddlsim
