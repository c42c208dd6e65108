#include "sim/collective/ring.hpp"
#include "tests/collective/machines.hpp"
#include "tests/collective/ring_recurrence.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using ddlsim::Machine;
using ddlsim::rounding;

namespace {

Machine two_level(int ranks, int ranks_per_node) {
  Machine machine;
  machine.ranks = ranks;
  machine.ranks_per_node = ranks_per_node;
  machine.intra_Bps = 120e9;
  machine.intra_latency_s = 1e-6;
  machine.nic_Bps = 11e9;
  machine.net_latency_s = 12e-6;
  return machine;
}

double uniform(std::mt19937_64& random, double low, double high) {
  return low + (high - low) * (static_cast<double>(random() >> 11) * 0x1p-53);
}

} // namespace

TEST_CASE("one rank has nobody to talk to") {
  CHECK(ddlsim::ring_all_reduce_s(two_level(1, 8), 1e8) == 0);
}

TEST_CASE("on equal edges the ring takes 2(n-1) (latency + S/(n rate))") {
  for (const double size_bytes : {4.0, 1e6, 1e8}) {
    for (int ranks = 2; ranks <= 64; ++ranks) {
      const Machine machine = two_level(ranks, 1);
      const double exact_s = 2 * (ranks - 1) * (machine.net_latency_s + size_bytes / (ranks * machine.nic_Bps));
      CHECK(ddlsim::ring_all_reduce_s(machine, size_bytes) == Approx(exact_s).epsilon(rounding));
    }
  }
}

TEST_CASE("the slowest path equals the recurrence on two-level rings, short last nodes too") {
  for (const int ranks_per_node : {2, 4, 8}) {
    for (int ranks = 2; ranks <= 40; ++ranks) {
      for (const double size_bytes : {1.0, 1e4, 1e6, 1e8}) {
        const Machine machine = two_level(ranks, ranks_per_node);
        INFO(ranks << " ranks, " << ranks_per_node << " a node, " << size_bytes << " bytes");
        CHECK(ddlsim::ring_all_reduce_s(machine, size_bytes) ==
              Approx(ddlsim::ring_by_recurrence_s(machine, size_bytes)).epsilon(rounding));
      }
    }
  }
}

TEST_CASE("the slowest path equals the recurrence on random machines and fat-trees") {
  std::mt19937_64 random(20240607);
  for (int round = 0; round < 500; ++round) {
    Machine machine = two_level(2 + static_cast<int>(random() % 60), 1 + static_cast<int>(random() % 9));
    machine.intra_Bps = std::exp(uniform(random, std::log(1e9), std::log(1e12)));
    machine.nic_Bps = std::exp(uniform(random, std::log(1e8), std::log(1e11)));
    machine.intra_latency_s = std::exp(uniform(random, std::log(1e-8), std::log(1e-4)));
    machine.net_latency_s = std::exp(uniform(random, std::log(1e-8), std::log(1e-4)));
    machine.nodes_per_leaf = static_cast<int>(random() % 4);
    machine.uplink_Bps = machine.nic_Bps * uniform(random, 0.3, 2);
    const double size_bytes = std::exp(uniform(random, 0, std::log(1e9)));
    INFO("round " << round);
    CHECK(ddlsim::ring_all_reduce_s(machine, size_bytes) ==
          Approx(ddlsim::ring_by_recurrence_s(machine, size_bytes)).epsilon(rounding));
  }
}

TEST_CASE("a message that is all latency crosses the network ceil(2(n-1) nodes/n) times") {
  for (const int nodes : {2, 3, 4, 12}) {
    for (const int ranks_per_node : {1, 2, 4, 8}) {
      Machine machine = two_level(nodes * ranks_per_node, ranks_per_node);
      machine.intra_latency_s = 0;
      const int steps = 2 * (machine.ranks - 1);
      const int crossings = (steps * nodes + machine.ranks - 1) / machine.ranks;
      CHECK(ddlsim::ring_all_reduce_s(machine, 1e-6) == Approx(crossings * machine.net_latency_s).epsilon(1e-9));
    }
  }
}

TEST_CASE("an uplink narrower than the NIC narrows only the edges that leave a leaf") {
  Machine machine = two_level(8, 2);
  machine.nodes_per_leaf = 2;
  machine.uplink_Bps = 1e9;
  CHECK(ddlsim::ring_way(machine, 0).rate_Bps() == machine.intra_Bps);
  CHECK(ddlsim::ring_way(machine, 1).rate_Bps() == machine.nic_Bps);
  CHECK(ddlsim::ring_way(machine, 3).rate_Bps() == machine.uplink_Bps);
  CHECK(ddlsim::ring_way(machine, 7).rate_Bps() == machine.uplink_Bps);
}

TEST_CASE("more bandwidth is never slower, more latency never faster") {
  const Machine machine = two_level(19, 4);
  const double base_s = ddlsim::ring_all_reduce_s(machine, 1e7);
  Machine wider = machine;
  wider.nic_Bps *= 1.5;
  CHECK(ddlsim::ring_all_reduce_s(wider, 1e7) < base_s);
  Machine later = machine;
  later.net_latency_s *= 2;
  CHECK(ddlsim::ring_all_reduce_s(later, 1e7) > base_s);
  later.intra_latency_s *= 2;
  CHECK(ddlsim::ring_all_reduce_s(later, 1e7) >= base_s);
}
