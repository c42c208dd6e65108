#include "sim/collective/all_reduce.hpp"
#include "sim/collective/collnet.hpp"
#include "sim/network/machine.hpp"
#include "tests/collective/machines.hpp"
#include "tests/collective/schedule_sums.hpp"
#include "tests/network/fabrics.hpp"

#include <catch2/catch.hpp>

#include <vector>

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

TEST_CASE("switches that sum: scattered nodes load no link more than packed ones", "[collnet]") {
  const auto tree = fat_tree(4, 4);
  for (const auto& order : {NodeOrder::packed, NodeOrder::scattered}) {
    const auto machine = placed_on(two_level(16, 1), tree, {order, {}}, 16);
    CHECK(machine.fabric->load.in_order == 1);
    const auto next = next_nodes(machine);
    const auto& places = machine.fabric->places;
    for (std::size_t node = 0; node < next.size(); ++node) CHECK(places[at(next[node])] == (places[node] + 1) % 16);
  }
  CHECK(placed_on(two_level(16, 1), tree, {NodeOrder::scattered, {}}, 16).fabric->load.ring > 1);
}

TEST_CASE("both switches sum: a node sends the vector once, and a port passes it once and a head's share",
          "[collnet][nvls]") {
  for (const int ranks : {16, 24, 20, 3}) {
    const Machine machine = two_level(ranks, ranks > 3 ? 8 : 1);
    const Schedule schedule = nvls_sharp_schedule(machine, 1e8);
    INFO(ranks << " ranks");
    CHECK(every_message_arrives(schedule));
    for (const double bytes : bytes_out_of_nodes(machine, schedule)) CHECK(bytes == Approx(1e8));
    std::vector<double> inside_bytes(at(ranks), 0);
    for (const auto& program : schedule.programs)
      for (const auto& step : program.steps)
        for (const auto& send : step.sends)
          if (machine.node_of(send.to) == machine.node_of(program.rank))
            inside_bytes[at(program.rank)] += send.size_bytes;
    for (int rank = 0; rank < ranks; ++rank) {
      const int beside = ranks_of_node(machine, machine.node_of(rank));
      CHECK(inside_bytes[at(rank)] == Approx(beside > 1 ? 1e8 * (1 + 1.0 / beside) : 0));
    }
  }
}

TEST_CASE("both switches sum: the slower of port and NIC decides, and nodes add nothing", "[collnet][nvls]") {
  const auto s_per_byte = [](const Machine& machine) {
    return (nvls_sharp_all_reduce_s(machine, 2e12) - nvls_sharp_all_reduce_s(machine, 1e12)) / 1e12;
  };
  Machine machine = two_level(64, 8);
  machine.intra_Bps = 1e12;
  CHECK(s_per_byte(machine) == Approx(1 / machine.nic_Bps));
  machine.intra_Bps = 1e9;
  CHECK(s_per_byte(machine) == Approx((1 + 1.0 / 8) / machine.intra_Bps));
  CHECK(nvls_sharp_all_reduce_s(two_level(65536, 8), 1e8) == Approx(nvls_sharp_all_reduce_s(two_level(16, 8), 1e8)));
  const Machine alone = two_level(64, 1);
  CHECK(nvls_sharp_all_reduce_s(alone, 1e8) == Approx(collnet_all_reduce_s(alone, 1e8)));
}

TEST_CASE("switches that sum: nothing takes no time", "[collnet]") {
  CHECK(collnet_all_reduce_s(two_level(8, 8), 0) == 0);
  CHECK(collnet_all_reduce_s(two_level(1, 1), 1e6) == 0);
  CHECK(collnet_schedule(two_level(1, 1), 1e6).programs.empty());
}

} // namespace ddlsim
