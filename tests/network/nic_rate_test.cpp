#include "sim/base/statistics.hpp"
#include "sim/network/nic_rate.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {

TEST_CASE("a NIC's rate: line rate of all ports, then what bends it, each by itself") {
  const Nic nic{"ib", 1e9, 2};
  CHECK(line_Bps(nic) == 2e9);
  constexpr double no_limit = 1e18;
  CHECK(nic_rate_Bps(nic, {0.8, no_limit}) == Approx(1.6e9));
  CHECK(nic_rate_Bps(nic, {0.8, 1e9}) == Approx(1e9)); // the sockets are narrower
  CHECK(nic_rate_Bps(nic, {0.8, no_limit, 0.1, 8}) == Approx(1.6e9 / (1 + 0.1 * expected_largest_normal(8))));
  CHECK(nic_rate_Bps(nic, {0.8, no_limit, 0, 8, 4}) == Approx(4 * 1.6e9)); // a domain of four nodes
  CHECK(nic_rate_Bps(nic, {0.8, no_limit, 0, 8, 1, 4}) == Approx(1.6e9 / 4));
}

} // namespace ddlsim
