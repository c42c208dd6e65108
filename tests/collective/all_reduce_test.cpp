#include "sim/collective/all_reduce.hpp"
#include "sim/collective/ring.hpp"
#include "tests/collective/machines.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>

namespace ddlsim {
namespace {

const std::vector<Algorithm>& every_algorithm = values_of<Algorithm>();

} // namespace

TEST_CASE("one rank has nothing to reduce, and the ring is the ring", "[all-reduce]") {
  for (const Algorithm algorithm : every_algorithm) {
    CHECK(all_reduce_s(two_level(1, 8), 1e8, algorithm) == 0);
  }
  CHECK(all_reduce_s(two_level(12, 4), 1e8, Algorithm::ring) == ring_all_reduce_s(two_level(12, 4), 1e8));
}

TEST_CASE("a link in use without a rate is refused, one not in use is not looked at", "[all-reduce]") {
  for (const Algorithm algorithm : every_algorithm) {
    Machine no_nic = two_level(8, 4);
    no_nic.nic_Bps = 0;
    CHECK_THROWS_AS(all_reduce_s(no_nic, 1e6, algorithm), std::invalid_argument);
    no_nic.ranks = 4;
    CHECK(all_reduce_s(no_nic, 1e6, algorithm) > 0);
    Machine no_intra = two_level(8, 4);
    no_intra.intra_Bps = 0;
    CHECK_THROWS_AS(all_reduce_s(no_intra, 1e6, algorithm), std::invalid_argument);
    Machine no_uplink = two_level(8, 1);
    no_uplink.nodes_per_leaf = 4;
    CHECK_THROWS_AS(all_reduce_s(no_uplink, 1e6, algorithm), std::invalid_argument);
    no_uplink.nodes_per_leaf = 8;
    CHECK(all_reduce_s(no_uplink, 1e6, algorithm) > 0);
  }
}

TEST_CASE("more bandwidth is never slower, more latency or bytes never faster, any algorithm",
          "[all-reduce][property]") {
  std::mt19937_64 random(20240611);
  for (int round = 0; round < 1000; ++round) {
    const Machine machine = random_machine(random, 130);
    const double size_bytes = log_uniform(random, 1, 1e9);
    for (const Algorithm algorithm : every_algorithm) {
      INFO("round " << round << ", " << to_text(algorithm));
      const double base_s = all_reduce_s(machine, size_bytes, algorithm);
      for (double Machine::*rate : {&Machine::intra_Bps, &Machine::nic_Bps, &Machine::uplink_Bps}) {
        Machine wider = machine;
        wider.*rate *= 1.7;
        CHECK(all_reduce_s(wider, size_bytes, algorithm) <= base_s * (1 + rounding));
      }
      for (double Machine::*latency : {&Machine::intra_latency_s, &Machine::net_latency_s}) {
        Machine later = machine;
        later.*latency *= 1.7;
        CHECK(all_reduce_s(later, size_bytes, algorithm) >= base_s * (1 - rounding));
      }
      CHECK(all_reduce_s(machine, 1.1 * size_bytes, algorithm) >= base_s * (1 - rounding));
    }
  }
}

TEST_CASE("no algorithm moves the bytes through the NIC faster than the lower bound 2(N-1)/N S", "[all-reduce]") {
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
