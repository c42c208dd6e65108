#include "sim/collective/hierarchical_ring.hpp"
#include "sim/collective/ring.hpp"
#include "tests/collective/machines.hpp"
#include "tests/collective/schedule_sums.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
TEST_CASE("hierarchical ring, one GPU a node: 2(N-1)/N S/B + 2(N-1) latency", "[hierarchical-ring]") {
  for (const double size_bytes : {4.0, 1e6, 1e8}) {
    for (int nodes = 1; nodes <= 64; ++nodes) {
      const Machine machine = two_level(nodes, 1);
      const double exact_s =
          2.0 * (nodes - 1) / nodes * size_bytes / machine.nic_Bps + 2 * (nodes - 1) * machine.net_latency_s;
      CHECK(hierarchical_ring_all_reduce_s(machine, size_bytes) == Approx(exact_s).epsilon(rounding));
    }
  }
}

TEST_CASE("hierarchical ring: two phases inside and a ring of nodes", "[hierarchical-ring]") {
  for (const int ranks_per_node : {2, 3, 4, 8}) {
    for (int nodes = 1; nodes <= 64; ++nodes) {
      const Machine machine = two_level(nodes * ranks_per_node, ranks_per_node);
      const double g = ranks_per_node;
      const double inside_s = 2 * (g - 1) * (machine.intra_latency_s + 1e8 / g / machine.intra_Bps);
      const double across_s = 2.0 * (nodes - 1) * (machine.net_latency_s + 1e8 / nodes / machine.nic_Bps);
      CHECK(hierarchical_ring_all_reduce_s(machine, 1e8) == Approx(inside_s + across_s).epsilon(rounding));
    }
  }
}

TEST_CASE("hierarchical ring in one node is the ring, and a short last node changes nothing", "[hierarchical-ring]") {
  CHECK(hierarchical_ring_all_reduce_s(two_level(5, 8), 1e7) == Approx(ring_all_reduce_s(two_level(5, 8), 1e7)));
  for (int ranks = 9; ranks < 16; ++ranks) {
    CHECK(hierarchical_ring_all_reduce_s(two_level(ranks, 8), 1e7) ==
          hierarchical_ring_all_reduce_s(two_level(16, 8), 1e7));
  }
}

TEST_CASE("hierarchical ring: no message is lost, each node sends 2(N-1)/N S", "[hierarchical-ring]") {
  for (const int ranks_per_node : {1, 3, 8}) {
    for (int ranks = 2; ranks <= 40; ++ranks) {
      const Machine machine = two_level(ranks, ranks_per_node);
      const Schedule schedule = hierarchical_ring_schedule(machine, 1e6);
      INFO(ranks << " ranks, " << ranks_per_node << " a node");
      CHECK(every_message_arrives(schedule));
      const int nodes = machine.nodes();
      for (const double bytes : bytes_out_of_nodes(machine, schedule)) {
        CHECK(bytes == Approx(2.0 * (nodes - 1) / nodes * 1e6).epsilon(1e-9));
      }
    }
  }
}

} // namespace ddlsim
