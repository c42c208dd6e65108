#include "sim/base/statistics.hpp"
#include "sim/network/machine.hpp"
#include "sim/network/nic_rate.hpp"

#include <catch2/catch.hpp>

#include <limits>

namespace ddlsim {

TEST_CASE("a NIC's rate: line rate of all ports, then what bends it, each by itself") {
  const Nic nic{"ib", 1e9, 2};
  CHECK(line_Bps(nic) == 2e9);
  CHECK(nic_rate_Bps(nic, {}) == 2e9);
  CHECK(nic_rate_Bps(nic, {.efficiency = 0.8}) == Approx(1.6e9));
  CHECK(nic_rate_Bps(nic, {.socket_Bps = 1e9}) == Approx(1e9)); // the sockets are narrower
  CHECK(nic_rate_Bps(nic, {.socket_Bps = 3e9}) == Approx(2e9));
  CHECK(nic_rate_Bps(nic, {.link_spread = 0.1, .nodes = 8}) == Approx(2e9 / (1 + 0.1 * expected_largest_normal(8))));
  CHECK(nic_rate_Bps(nic, {.link_spread = 0.1}) == 2e9);     // it waits for nobody
  CHECK(nic_rate_Bps(nic, {.joined = 4}) == Approx(8e9));    // a domain of four nodes, or four cables
  CHECK(nic_rate_Bps(nic, {.joined = 0.25}) == Approx(5e8)); // a host that stands for a quarter of one
  CHECK(nic_rate_Bps(nic, {.slow_factor = 0.3}) == Approx(6e8));
  CHECK(nic_rate_Bps(nic, {.duplex = 0.6}) == Approx(1.2e9));
  CHECK(nic_rate_Bps(nic, {.duplex = 1.5}) == 2e9); // both ways at once have all of it
  CHECK(nic_rate_Bps(nic, {.other_traffic = 0.9}) == Approx(2e8));
  CHECK(nic_rate_Bps(nic, {.sharers = 4}) == Approx(5e8)); // ranks of a node, groups, flows
  CHECK(nic_rate_Bps(nic, {.ceiling_Bps = 7e8}) == 7e8);   // one connection
}

TEST_CASE("a NIC's rate: what bends it together") {
  // Sockets bound each node of a domain, a ceiling each of those who share.
  const Nic nic{"ib", 1e9, 2};
  CHECK(nic_rate_Bps(nic, {.efficiency = 0.8, .socket_Bps = 1e9, .joined = 4, .sharers = 2}) == Approx(2e9));
  CHECK(nic_rate_Bps(nic, {.slow_factor = 0.5, .duplex = 0.5, .other_traffic = 0.5}) == Approx(2.5e8));
  CHECK(nic_rate_Bps(nic, {.sharers = 4, .ceiling_Bps = 6e8}) == Approx(5e8));
  CHECK(nic_rate_Bps(nic, {.sharers = 2, .ceiling_Bps = 6e8}) == Approx(6e8));
  CHECK(nic_rate_Bps(3e9, {.sharers = 2}) == Approx(1.5e9)); // of a rate that something else has bent
  constexpr double unlimited_Bps = std::numeric_limits<double>::infinity();
  CHECK(nic_rate_Bps(unlimited_Bps, {.sharers = 2, .ceiling_Bps = 1e9}) == 1e9);
}

TEST_CASE("a machine's NIC: slow on node 0, less while both ways are busy") {
  Machine machine;
  machine.ranks = 4;
  machine.nic_Bps = 1e9;
  machine.slow_nic_factor = 0.25;
  machine.nic_duplex = 0.75;
  CHECK(machine.nic_Bps_of(0) == 2.5e8);
  CHECK(machine.nic_Bps_of(1) == 1e9);
  CHECK(machine.busy_nic_Bps() == Approx(7.5e8));
  CHECK(machine.both_ways_Bps() == Approx(1.5e9));
  const auto slow = all_nics_slow(machine);
  CHECK(slow.nic_Bps == 2.5e8);
  CHECK(slow.nic_Bps_of(0) == slow.nic_Bps_of(1));
}

} // namespace ddlsim
