#include "sim/collective/collective.hpp"
#include "sim/collective/nvls.hpp"
#include "tests/collective/machines.hpp"
#include "tests/collective/schedule_sums.hpp"

#include <catch2/catch.hpp>

#include <vector>

namespace ddlsim {
namespace {

/// Bytes that pass the port of each rank inwards, and outwards.
struct PortBytes {
  std::vector<double> in, out;
};

PortBytes bytes_of_ports(const Machine& machine, const Schedule& schedule) {
  PortBytes ports{std::vector<double>(at(machine.ranks)), std::vector<double>(at(machine.ranks))};
  for (const Program& program : schedule.programs)
    for (const Step& step : program.steps)
      for (const Send& send : step.sends) {
        if (machine.node_of(send.to) != machine.node_of(program.rank)) continue;
        ports.out[at(program.rank)] += send.size_bytes;
        ports.in[at(send.to)] += send.size_bytes;
      }
  return ports;
}

} // namespace

TEST_CASE("one node: in and out of the switch once, S (1 + 1/g) through every port", "[nvls]") {
  for (const int ranks : {2, 3, 8, 72}) {
    const Machine machine = two_level(ranks, ranks);
    CHECK(nvls_all_reduce_s(machine, 1e8) ==
          Approx(2 * machine.intra_latency_s + 1e8 * (1 + 1.0 / ranks) / machine.intra_Bps));
    const auto ports = bytes_of_ports(machine, nvls_schedule(machine, 1e8));
    for (const double bytes : ports.in) CHECK(bytes == Approx(1e8 * (1 + 1.0 / ranks)));
    for (const double bytes : ports.out) CHECK(bytes == Approx(1e8 * (1 + 1.0 / ranks)));
  }
}

TEST_CASE("several nodes: every port passes S (1 + 1/g), the NICs what a double tree sends", "[nvls]") {
  for (const int ranks_per_node : {1, 3, 8}) {
    for (const int nodes : {2, 3, 4, 9}) {
      const Machine machine = two_level(nodes * ranks_per_node, ranks_per_node);
      const Schedule schedule = nvls_schedule(machine, 1e8);
      INFO(nodes << " nodes of " << ranks_per_node);
      CHECK(every_message_arrives(schedule));
      if (ranks_per_node > 1)
        for (const double bytes : bytes_of_ports(machine, schedule).in)
          CHECK(bytes == Approx(1e8 * (1 + 1.0 / ranks_per_node)));
      const auto tree =
          bytes_out_of_nodes(machine, collective_algorithm(all_reduce_by(Algorithm::tree)).schedule(machine, 1e8));
      const auto nvls = bytes_out_of_nodes(machine, schedule);
      for (std::size_t node = 0; node < nvls.size(); ++node) CHECK(nvls[node] == Approx(tree[node]));
    }
  }
}

TEST_CASE("a short last node: its ranks are heads of several shares, and every message arrives", "[nvls]") {
  for (const int ranks : {9, 10, 12, 15}) {
    const Machine machine = two_level(ranks, 8);
    const Schedule schedule = nvls_schedule(machine, 1e7);
    CHECK(every_message_arrives(schedule));
    const int last = ranks - 8;
    const auto ports = bytes_of_ports(machine, schedule);
    for (int rank = 8; rank < ranks; ++rank)
      CHECK(ports.out[at(rank)] == Approx(last > 1 ? 1e7 * (1 + 1.0 / last) : 0));
  }
}

TEST_CASE("as messages grow, the narrower of port and NIC decides", "[nvls]") {
  Machine machine = two_level(32, 8);
  machine.intra_latency_s = machine.net_latency_s = 0;
  const auto s_per_byte = [](const Machine& on) {
    return (nvls_all_reduce_s(on, 2e12) - nvls_all_reduce_s(on, 1e12)) / 1e12;
  };
  CHECK(s_per_byte(machine) == Approx(2 / machine.nic_Bps)); // an inner node of the tree sends twice
  machine.nic_Bps = 1e15;
  CHECK(s_per_byte(machine) == Approx((1 + 1.0 / 8) / machine.intra_Bps));
}

} // namespace ddlsim
