#include "sim/collective/all_to_all.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
namespace {

/// 10 B/s inside a node, 4 B/s out of it.
Machine machine_of(int ranks, int ranks_per_node) {
  Machine machine;
  machine.ranks = ranks;
  machine.ranks_per_node = ranks_per_node;
  machine.intra_Bps = 10;
  machine.intra_latency_s = 0.001;
  machine.nic_Bps = 4;
  machine.net_latency_s = 0.01;
  return machine;
}

} // namespace

TEST_CASE("each rank sends (n-1)/n of what it has", "[all-to-all]") {
  CHECK(all_to_all_s(machine_of(1, 1), 80) == 0);
  CHECK(all_to_all_s(machine_of(8, 8), 80) == Approx(0.001 + 7 * 10 / 10.0));
  CHECK(all_to_all_s(machine_of(4, 1), 80) == Approx(0.01 + 3 * 20 / 4.0));
}

TEST_CASE("the ranks of a node share its NICs, those of a leaf its uplinks", "[all-to-all]") {
  auto machine = machine_of(8, 2); // each of two ranks sends six of eight parts out of the node
  CHECK(all_to_all_s(machine, 80) == Approx(0.01 + 2 * 6 * 10 / 4.0));
  machine.nic_Bps = 1e9;
  CHECK(all_to_all_s(machine, 80) == Approx(0.01 + 10 / 10.0)); // one part inside the node
  machine.nodes_per_leaf = 2;
  machine.uplink_Bps = 2;
  CHECK(all_to_all_s(machine, 80) == Approx(0.01 + 4 * 4 * 10 / 2.0));
  machine.nodes_per_leaf = 4; // all are on one leaf
  CHECK(all_to_all_s(machine, 80) == Approx(0.01 + 10 / 10.0));
}

} // namespace ddlsim
