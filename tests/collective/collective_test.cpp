#include "sim/collective/collective.hpp"
#include "sim/collective/ring.hpp"
#include "tests/collective/machines.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>

namespace ddlsim {
TEST_CASE("one rank has nobody to talk to, and the ring is the ring", "[collective]") {
  for (const auto& collective : every_collective()) CHECK(collective_s(two_level(1, 8), 1e8, collective) == 0);
  CHECK(all_reduce_s(two_level(12, 4), 1e8, Algorithm::ring) == ring_all_reduce_s(two_level(12, 4), 1e8));
}

TEST_CASE("a link in use without a rate is refused, one not in use is not looked at", "[collective]") {
  for (const auto& collective : every_collective()) {
    Machine no_nic = two_level(8, 4);
    no_nic.nic_Bps = 0;
    CHECK_THROWS_AS(collective_s(no_nic, 1e6, collective), std::invalid_argument);
    no_nic.ranks = 4;
    CHECK(collective_s(no_nic, 1e6, collective) > 0);
    Machine no_intra = two_level(8, 4);
    no_intra.intra_Bps = 0;
    CHECK_THROWS_AS(collective_s(no_intra, 1e6, collective), std::invalid_argument);
    Machine no_uplink = two_level(8, 1);
    no_uplink.nodes_per_leaf = 4;
    CHECK_THROWS_AS(collective_s(no_uplink, 1e6, collective), std::invalid_argument);
    no_uplink.nodes_per_leaf = 8;
    CHECK(collective_s(no_uplink, 1e6, collective) > 0);
  }
}

TEST_CASE("more bandwidth is never slower, more latency or bytes never faster, any collective",
          "[collective][property]") {
  std::mt19937_64 random(20240611);
  for (int round = 0; round < 1000; ++round) {
    const Machine machine = random_machine(random, 130);
    const double size_bytes = log_uniform(random, 1, 1e9);
    for (const auto& collective : every_collective()) {
      INFO("round " << round << ", " << to_text(collective));
      const double base_s = collective_s(machine, size_bytes, collective);
      for (double Machine::*rate : {&Machine::intra_Bps, &Machine::nic_Bps, &Machine::uplink_Bps}) {
        Machine wider = machine;
        wider.*rate *= 1.7;
        CHECK(collective_s(wider, size_bytes, collective) <= base_s * (1 + rounding));
      }
      for (double Machine::*latency : {&Machine::intra_latency_s, &Machine::net_latency_s}) {
        Machine later = machine;
        later.*latency *= 1.7;
        CHECK(collective_s(later, size_bytes, collective) >= base_s * (1 - rounding));
      }
      CHECK(collective_s(machine, 1.1 * size_bytes, collective) >= base_s * (1 - rounding));
    }
  }
}

TEST_CASE("an algorithm has no row for an operation that it does not have", "[collective]") {
  CHECK_THROWS_AS(collective_algorithm({CollectiveOperation::all_gather, Algorithm::tree}), std::logic_error);
}

TEST_CASE("no algorithm moves the bytes through the NIC faster than the lower bound 2(N-1)/N S", "[collective]") {
  for (const Algorithm algorithm : {Algorithm::ring, Algorithm::hierarchical_ring, Algorithm::halving_doubling}) {
    for (int nodes = 2; nodes <= 40; ++nodes) {
      Machine machine = two_level(nodes * 4, 4);
      machine.intra_latency_s = 0;
      machine.net_latency_s = 0;
      const double least_s = 2.0 * (nodes - 1) / nodes * 1e8 / machine.nic_Bps;
      CHECK(all_reduce_s(machine, 1e8, algorithm) >= least_s * (1 - rounding));
    }
  }
}

} // namespace ddlsim
