#include "sim/collective/all_to_all.hpp"

#include <algorithm>

namespace ddlsim {

double all_to_all_s(const Machine& machine, double size_bytes) {
  const double ranks = machine.ranks;
  if (ranks == 1) return 0;
  const double of_node = std::min(machine.ranks_per_node, machine.ranks);
  const double a_message = size_bytes / ranks;
  double time_s = of_node > 1 && machine.intra_Bps > 0 ? (of_node - 1) * a_message / machine.intra_Bps : 0;
  if (machine.nodes() == 1) return machine.intra_latency_s + time_s;
  time_s = std::max(time_s, of_node * (ranks - of_node) * a_message / machine.nic_Bps);
  const double of_leaf = machine.nodes_per_leaf * of_node;
  if (machine.nodes_per_leaf > 0 && of_leaf < ranks)
    time_s = std::max(time_s, of_leaf * (ranks - of_leaf) * a_message / machine.uplink_Bps);
  return machine.net_latency_s + time_s;
}

} // namespace ddlsim
