#include "sim/collective/links_in_use.hpp"

#include <algorithm>
#include <stdexcept>

namespace ddlsim {

int ranks_of_full_node(const Machine& machine) {
  return std::min(machine.ranks, machine.ranks_per_node);
}

int ranks_of_node(const Machine& machine, int node) {
  return std::min(machine.ranks_per_node, machine.ranks - node * machine.ranks_per_node);
}

bool has_leaves(const Machine& machine) {
  return machine.nodes_per_leaf > 0 && machine.nodes() > machine.nodes_per_leaf;
}

bool has_slow_node(const Machine& machine) {
  return machine.nodes() > 1 && machine.slow_nic_factor != 1;
}

void require_rates(const Machine& machine) {
  if (ranks_of_full_node(machine) > 1 && !(machine.intra_Bps > 0))
    throw std::invalid_argument("all-reduce: the rate inside a node is not above zero");
  if (machine.nodes() > 1 && !(machine.nic_Bps > 0))
    throw std::invalid_argument("all-reduce: the rate of a node's NIC is not above zero");
  if (has_leaves(machine) && !(machine.uplink_Bps > 0))
    throw std::invalid_argument("all-reduce: the rate of a leaf's uplink is not above zero");
}

} // namespace ddlsim
