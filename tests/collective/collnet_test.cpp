#include "sim/collective/collnet.hpp"
#include "sim/network/machine.hpp"
#include "tests/collective/machines.hpp"
#include "tests/collective/schedule_sums.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
namespace {

double collnet_s_per_byte(const Machine& machine) {
  return (collnet_all_reduce_s(machine, 2e12) - collnet_all_reduce_s(machine, 1e12)) / 1e12;
}

} // namespace

TEST_CASE("switches that sum: a node sends the vector once, however many nodes there are", "[collnet]") {
  for (const int ranks_per_node : {1, 3, 8})
    for (const int nodes : {2, 3, 9}) {
      const Machine machine = two_level(nodes * ranks_per_node, ranks_per_node);
      const Schedule schedule = collnet_schedule(machine, 1e8);
      INFO(nodes << " nodes of " << ranks_per_node);
      CHECK(every_message_arrives(schedule));
      for (const double bytes : bytes_out_of_nodes(machine, schedule)) CHECK(bytes == Approx(1e8));
    }
}

TEST_CASE("switches that sum: a short last node has fewer heads, and every message arrives", "[collnet]") {
  for (const int ranks : {17, 20, 23}) {
    const Machine machine = two_level(ranks, 8);
    const Schedule schedule = collnet_schedule(machine, 1e7);
    CHECK(every_message_arrives(schedule));
    for (const double bytes : bytes_out_of_nodes(machine, schedule)) CHECK(bytes == Approx(1e7));
  }
}

TEST_CASE("switches that sum: one GPU a node takes the latency and its bytes over the NIC", "[collnet]") {
  for (const int nodes : {2, 64, 16384}) {
    const Machine machine = two_level(nodes, 1);
    CHECK(collnet_all_reduce_s(machine, 1e8) == Approx(machine.net_latency_s + 1e8 / machine.nic_Bps));
  }
}

TEST_CASE("switches that sum: as messages grow, the narrowest of port, NIC and uplink decides", "[collnet]") {
  Machine machine = two_level(64, 8);
  machine.intra_Bps = 1e12;
  CHECK(collnet_s_per_byte(machine) == Approx(1 / machine.nic_Bps));
  machine.intra_Bps = 1e9;
  CHECK(collnet_s_per_byte(machine) == Approx(2 * 7 / 8.0 / machine.intra_Bps));
  machine.intra_Bps = 1e12;
  machine.nodes_per_leaf = 2;
  machine.uplink_Bps = machine.nic_Bps; // half of what two nodes send: the leaf's switch has summed it
  CHECK(collnet_s_per_byte(machine) == Approx(1 / machine.nic_Bps));
  machine.uplink_Bps = machine.nic_Bps / 2;
  CHECK(collnet_s_per_byte(machine) == Approx(2 / machine.nic_Bps));
}

TEST_CASE("switches that sum: nothing takes no time", "[collnet]") {
  CHECK(collnet_all_reduce_s(two_level(8, 8), 0) == 0);
  CHECK(collnet_all_reduce_s(two_level(1, 1), 1e6) == 0);
  CHECK(collnet_schedule(two_level(1, 1), 1e6).programs.empty());
}

} // namespace ddlsim
