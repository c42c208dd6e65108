#include "sim/network/nic_rate.hpp"

#include "sim/base/statistics.hpp"

#include <algorithm>

namespace ddlsim {

double line_Bps(const Nic& nic) {
  return nic.bandwidth_Bps * nic.count;
}

double nic_rate_Bps(const Nic& nic, const NicUse& use) {
  return nic_rate_Bps(line_Bps(nic), use);
}

double nic_rate_Bps(double rate_Bps, const NicUse& use) {
  const double node_Bps = std::min(rate_Bps * use.efficiency, use.socket_Bps);
  const double slowest = use.link_spread > 0 ? 1 + use.link_spread * expected_largest_normal(use.nodes) : 1;
  const double left = use.slow_factor * std::min(1.0, use.duplex) * (1 - use.other_traffic);
  return std::min(use.ceiling_Bps, use.joined * left * node_Bps / slowest / use.sharers);
}

} // namespace ddlsim
