#include "sim/network/nic_rate.hpp"

#include "sim/base/statistics.hpp"

#include <algorithm>

namespace ddlsim {

double line_Bps(const Nic& nic) {
  return nic.bandwidth_Bps * nic.count;
}

double nic_rate_Bps(const Nic& nic, const NicUse& use) {
  const double node_Bps = std::min(line_Bps(nic) * use.efficiency, use.socket_Bps);
  return use.joined_nodes * node_Bps / (1 + use.link_spread * expected_largest_normal(use.nodes)) / use.ranks;
}

} // namespace ddlsim
