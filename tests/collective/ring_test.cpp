#include "sim/collective/collective.hpp"
#include "sim/collective/ring.hpp"
#include "tests/collective/machines.hpp"
#include "tests/collective/ring_recurrence.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

namespace ddlsim {
namespace {

constexpr CollectiveKind halves_of_ring[] = {{CollectiveOperation::reduce_scatter, Algorithm::ring},
                                             {CollectiveOperation::all_gather, Algorithm::ring}};

} // namespace

TEST_CASE("one rank has nobody to talk to", "[ring]") {
  CHECK(ring_all_reduce_s(two_level(1, 8), 1e8) == 0);
}

TEST_CASE("on equal edges the ring takes 2(n-1) (latency + S/(n rate))", "[ring]") {
  for (const double size_bytes : {4.0, 1e6, 1e8}) {
    for (int ranks = 2; ranks <= 64; ++ranks) {
      const Machine machine = two_level(ranks, 1);
      const double exact_s = 2 * (ranks - 1) * (machine.net_latency_s + size_bytes / (ranks * machine.nic_Bps));
      CHECK(ring_all_reduce_s(machine, size_bytes) == Approx(exact_s).epsilon(rounding));
    }
  }
}

TEST_CASE("the slowest path equals the recurrence on two-level rings, short last nodes too", "[ring]") {
  for (const int ranks_per_node : {2, 4, 8}) {
    for (int ranks = 2; ranks <= 40; ++ranks) {
      for (const double size_bytes : {1.0, 1e4, 1e6, 1e8}) {
        const Machine machine = two_level(ranks, ranks_per_node);
        INFO(ranks << " ranks, " << ranks_per_node << " a node, " << size_bytes << " bytes");
        CHECK(ring_all_reduce_s(machine, size_bytes) ==
              Approx(ring_by_recurrence_s(machine, size_bytes)).epsilon(rounding));
      }
    }
  }
}

TEST_CASE("the slowest path equals the recurrence on random machines and fat-trees", "[ring]") {
  std::mt19937_64 random(20240607);
  for (int round = 0; round < 500; ++round) {
    const Machine machine = random_machine(random, 61);
    const double size_bytes = log_uniform(random, 1, 1e9);
    INFO("round " << round);
    CHECK(ring_all_reduce_s(machine, size_bytes) ==
          Approx(ring_by_recurrence_s(machine, size_bytes)).epsilon(rounding));
  }
}

TEST_CASE("a message that is all latency crosses the network ceil(2(n-1) nodes/n) times", "[ring]") {
  for (const int nodes : {2, 3, 4, 12}) {
    for (const int ranks_per_node : {1, 2, 4, 8}) {
      Machine machine = two_level(nodes * ranks_per_node, ranks_per_node);
      machine.intra_latency_s = 0;
      const int steps = 2 * (machine.ranks - 1);
      const int crossings = (steps * nodes + machine.ranks - 1) / machine.ranks;
      CHECK(ring_all_reduce_s(machine, 1e-6) == Approx(crossings * machine.net_latency_s).epsilon(1e-9));
    }
  }
}

TEST_CASE("an uplink narrower than the NIC narrows only the edges that leave a leaf", "[ring]") {
  Machine machine = two_level(8, 2);
  machine.nodes_per_leaf = 2;
  machine.uplink_Bps = 1e9;
  CHECK(ring_edge(machine, 0).rate_Bps() == machine.intra_Bps);
  CHECK(ring_edge(machine, 1).rate_Bps() == machine.nic_Bps);
  CHECK(ring_edge(machine, 3).rate_Bps() == machine.uplink_Bps);
  CHECK(ring_edge(machine, 7).rate_Bps() == machine.uplink_Bps);
}

TEST_CASE("more bandwidth is never slower, more latency never faster", "[ring]") {
  const Machine machine = two_level(19, 4);
  const double base_s = ring_all_reduce_s(machine, 1e7);
  Machine wider = machine;
  wider.nic_Bps *= 1.5;
  CHECK(ring_all_reduce_s(wider, 1e7) < base_s);
  Machine later = machine;
  later.net_latency_s *= 2;
  CHECK(ring_all_reduce_s(later, 1e7) > base_s);
  later.intra_latency_s *= 2;
  CHECK(ring_all_reduce_s(later, 1e7) >= base_s);
}

TEST_CASE("a reduce-scatter and an all-gather take n-1 steps: (n-1) (latency + S/(n rate)) on equal links", "[ring]") {
  for (const auto& half : halves_of_ring)
    for (int ranks = 1; ranks <= 130; ++ranks) {
      const Machine machine = two_level(ranks, 1);
      const double exact_s = (ranks - 1) * (machine.net_latency_s + 25e6 / (ranks * machine.nic_Bps));
      INFO(ranks << " ranks");
      CHECK(collective_s(machine, 25e6, half) == Approx(exact_s).epsilon(rounding));
      CHECK(2 * collective_s(machine, 25e6, half) == Approx(ring_all_reduce_s(machine, 25e6)).epsilon(rounding));
    }
}

TEST_CASE("on any machine both together are no faster than an all-reduce, and one moves (n-1)/n of the bytes",
          "[ring]") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    const Machine machine = random_machine(random, 130);
    const double size_bytes = log_uniform(random, 1, 1e9);
    const double half_s = collective_s(machine, size_bytes, halves_of_ring[1]);
    INFO("round " << round);
    CHECK(2 * half_s >= ring_all_reduce_s(machine, size_bytes) * (1 - rounding));
    CHECK(half_s == collective_s(machine, size_bytes, halves_of_ring[0]));
    const double slowest_Bps = machine.nodes() > 1 ? machine.nic_Bps : machine.intra_Bps;
    CHECK(half_s >= (machine.ranks - 1.0) / machine.ranks * size_bytes / slowest_Bps * (1 - rounding));
  }
}

TEST_CASE("each sends half of the messages of an all-reduce", "[ring]") {
  for (const auto& half : halves_of_ring)
    CHECK(2 * collective_algorithm(half).messages(two_level(24, 8), 1e6, 3) ==
          ring_all_reduce.messages(two_level(24, 8), 1e6, 3));
}

} // namespace ddlsim
