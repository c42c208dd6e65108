#include "tests/simgrid/exchanges.hpp"
#include "tests/simgrid/scale.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using ddlsim::Engine;
using ddlsim::ideal_workers;
using ddlsim::Machine;
using ddlsim::on_each_server;
using ddlsim::promised;
using ddlsim::server_machine;
using ddlsim::ServerExchange;
using ddlsim::ServerExchangeTiming;
using ddlsim::ServerMachine;

namespace {

/// One connection of each class on SimGrid.
ServerExchangeTiming by_classes(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange) {
  return executor_of(Engine::classes).server_exchange(machine, servers, exchange);
}

ServerExchangeTiming by_formula(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange) {
  return executor_of(Engine::formula).server_exchange(machine, servers, exchange);
}

void check_classes_are_full(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange) {
  const ServerExchangeTiming every = full(machine, servers, exchange);
  const ServerExchangeTiming classes = by_classes(machine, servers, exchange);
  check_same(classes, every);
  CHECK(classes.simgrid_messages > 0);
  CHECK(classes.simgrid_messages <= every.simgrid_messages);
}

constexpr ddlsim::Sharding rules[] = {ddlsim::Sharding::round_robin, ddlsim::Sharding::bytes, ddlsim::Sharding::split,
                                      ddlsim::Sharding::hash};

/// Tensors of a small network, large and small mixed, some equal; tensors of 2 MB and more are split by `split`.
/// Everything is ready at 0 or over `backward_s`, the last tensor first.
ServerExchange small_network(int servers, ddlsim::Sharding rule, double backward_s) {
  const std::vector<double> tensor_bytes = {4e6, 4e3, 1e6, 4e6, 4e3, 2.5e6, 4e3, 9e6};
  ServerExchange exchange;
  const std::vector<ddlsim::Shard> shards = ddlsim::place_tensors(tensor_bytes, servers, rule, 2e6);
  exchange.shards.assign(shards.rbegin(), shards.rend());
  for (const ddlsim::Shard& shard : exchange.shards) {
    exchange.ready_s.push_back(backward_s * (8 - shard.tensor) / 8);
  }
  return exchange;
}

/// Star, or leaves of three nodes with uplinks narrower than their NICs.
Machine cluster(int ranks, int gpus_per_node, double blocking) {
  Machine machine = ideal_workers(1);
  machine.ranks = ranks;
  machine.ranks_per_node = gpus_per_node;
  machine.intra_Bps = 4e9;
  machine.net_latency_s = 20e-6;
  machine.intra_latency_s = 3e-6;
  if (blocking <= 1) return machine;
  machine.nodes_per_leaf = 3;
  machine.uplink_Bps = 3 * machine.nic_Bps / blocking;
  return machine;
}

/// Node 0 as one of four: like the others, with a NIC of half the rate, ready later, or both.
void slow_down(Machine& machine, ServerExchange& exchange, int kind) {
  if (kind % 2 == 1) machine.slow_nic_factor = 0.5;
  if (kind < 2) return;
  for (const double ready_s : exchange.ready_s) {
    exchange.slow_ready_s.push_back(1.3 * ready_s + 0.002);
  }
}

} // namespace

TEST_CASE("by classes equals full: 2 to 64 ranks, 1, 4 and 8 a node, every rule, fabric, placement and kind of slow "
          "node") {
  int round = 0; // turns the options that are not a loop, each at a period of its own
  for (const int ranks : {2, 3, 5, 8, 13, 16, 29, 33, 64}) {
    for (const int gpus_per_node : {1, 4, 8}) {
      for (const bool dedicated : {true, false}) {
        for (const int servers : {1, 2, 3, 8, 0}) {
          ++round;
          if (ranks > ddlsim::most_ranks) continue;
          Machine machine = cluster(ranks, gpus_per_node, (round % 3 + 1) / 2.0 + 0.5); // 1:1, 1.5:1, 2:1
          const int count = servers == 0 ? std::min(machine.nodes(), 16) : servers;     // 0: one a node
          ServerExchange exchange = small_network(count, rules[round % 4], round % 7 < 4 ? 0.0 : 0.03);
          exchange.messages_per_node = round % 5 == 0 ? gpus_per_node : 1;
          exchange.message_cost_s = round % 6 == 0 ? 30e-6 : 0;
          slow_down(machine, exchange, round % 11 % 4);
          if (round % 13 < 6) machine.nic_duplex = 0.35 + 0.1 * (round % 13);
          INFO("round " << round << ": " << ranks << " ranks, " << gpus_per_node << " a node, " << count << " servers");
          check_classes_are_full(machine, server_machine(count, dedicated), exchange);
        }
      }
    }
  }
}

TEST_CASE("by classes equals full: random clusters, shards, ceilings and ready times") {
  std::mt19937_64 random(21);
  const int rounds = ddlsim::most_ranks * 4;
  for (int round = 0; round < rounds; ++round) {
    Machine machine = cluster(1 + static_cast<int>(random() % 10), 1, 1 + static_cast<double>(random() % 3) / 2);
    machine.nodes_per_leaf = machine.nodes_per_leaf > 0 ? 1 + static_cast<int>(random() % 4) : 0;
    ServerMachine servers = server_machine(1 + static_cast<int>(random() % 9), random() % 2 == 0);
    if (random() % 3 == 0) servers.process_Bps = 4e8;
    if (random() % 3 == 0) servers.connection_Bps = 2e8;
    if (round % 2 == 0) machine.nic_duplex = 0.3 + 0.1 * (round % 14) / 2;
    ServerExchange exchange;
    const int shards = 1 + static_cast<int>(random() % 12);
    for (int i = 0; i < shards; ++i) {
      const double size_bytes = random() % 2 == 0 ? 1e6 : static_cast<double>(1 + random() % 5000000);
      exchange.shards.push_back({i, static_cast<int>(random() % static_cast<unsigned>(servers.servers)), size_bytes});
      exchange.ready_s.push_back(static_cast<double>(random() % 4) * 2e-3);
    }
    slow_down(machine, exchange, static_cast<int>(random() % 4));
    exchange.messages_per_node = 1 + static_cast<int>(random() % 3);
    INFO("round " << round);
    check_classes_are_full(machine, servers, exchange);
  }
}

TEST_CASE(
    "dedicated servers are two-machine flow shops, copies/B (sum s + max s): by the formula up to 4,096 of them") {
  const std::vector<double> sizes_bytes = {3e6, 8e6, 1e5, 5e6};
  const double sum_and_max_bytes = 16.1e6 + 8e6;
  for (const int nodes : {1, 2, 3, 7, 64, 101, 1000, 1023, 4095, 4096}) {
    for (const int servers : {1, 2, nodes}) {
      if (servers > nodes) continue;
      INFO(nodes << " workers, " << servers << " servers");
      const auto exchange = on_each_server(servers, sizes_bytes);
      const auto there = server_machine(servers, true);
      const auto expected = Approx(nodes / 1e9 * sum_and_max_bytes).epsilon(promised);
      CHECK(by_formula(ideal_workers(nodes), there, exchange).end_s == expected);
      if (servers <= 2) CHECK(by_classes(ideal_workers(nodes), there, exchange).end_s == expected);
    }
  }
}

TEST_CASE("equal colocated servers, one on each node, keep the NICs busy from first to last") {
  for (const int nodes : {2, 3, 64, 101, 1023, 4096}) {
    const auto exchange = on_each_server(nodes, {3e6, 3e6});
    const auto there = server_machine(nodes, false);
    const auto expected = Approx(2 * (nodes - 1) / 1e9 * 6e6).epsilon(promised);
    INFO(nodes << " nodes");
    CHECK(by_formula(ideal_workers(nodes), there, exchange).end_s == expected);
    if (nodes <= 101) CHECK(by_classes(ideal_workers(nodes), there, exchange).end_s == expected);
  }
}

// One shard of s a server, as many servers as workers. The slow worker's pushes share f B from first to last, so the
// last copy of each shard is in after N s / (f B); the pull goes the same way back.
TEST_CASE("by classes: a slow NIC holds every shard back, 2 N s / (f B)") {
  for (const int nodes : {2, 3, 64, 1001}) {
    Machine machine = ideal_workers(nodes);
    machine.slow_nic_factor = 0.4;
    INFO(nodes << " nodes");
    CHECK(by_classes(machine, server_machine(nodes, true), on_each_server(nodes, {1e6})).end_s ==
          Approx(2 * nodes * 1e6 / (0.4 * 1e9)).epsilon(promised));
  }
}

// One server: the others' copies are in after (N-1) s/B; the late one comes alone, s/B; then all pull, N s/B.
TEST_CASE("by classes: a node that is ready later than the others' copies are in adds its own alone") {
  for (const int nodes : {2, 3, 64, 1001}) {
    ServerExchange exchange = on_each_server(1, {1e6});
    const double late_s = nodes * 1e-3;
    exchange.slow_ready_s = {late_s};
    INFO(nodes << " nodes");
    CHECK(by_classes(ideal_workers(nodes), server_machine(1, true), exchange).end_s ==
          Approx(late_s + (1 + nodes) * 1e6 / 1e9).epsilon(promised));
  }
}

// Uplinks of half the NICs' rate together; workers in full leaves of 16, the server in one of its own.
TEST_CASE("by classes: 16,384 workers on a blocking fat-tree wait for the one server's NIC") {
  Machine machine = ideal_workers(16384);
  machine.nodes_per_leaf = 16;
  machine.uplink_Bps = 8e9;
  const double copies_s = 16384 * 1e6 / 1e9;
  CHECK(by_classes(machine, server_machine(1, true), on_each_server(1, {1e6})).end_s ==
        Approx(2 * copies_s).epsilon(promised));
  machine.uplink_Bps = 0.5e9; // now the uplink of the server's leaf is narrower than its NIC
  CHECK(by_classes(machine, server_machine(1, true), on_each_server(1, {1e6})).end_s ==
        Approx(2 * copies_s / 0.5).epsilon(promised));
}

// Golden timeline of full_server_test.cpp.
TEST_CASE("by classes: two unlike colocated servers share the NICs between push and pull") {
  Machine machine = ideal_workers(2);
  machine.intra_Bps = 4e9;
  ServerExchange exchange;
  exchange.shards = {{0, 0, 2e6}, {1, 1, 4e6}};
  exchange.ready_s = {0, 0};
  const auto timing = by_classes(machine, server_machine(2, false), exchange);
  CHECK(timing.pulled_s[0] == Approx(0.006).epsilon(promised));
  CHECK(timing.pulled_s[1] == Approx(0.010).epsilon(promised));
}

// Shards of 2 and 1 MB, a worker of 1 GB/s, both ways of a NIC 2 d GB/s together: tests/parameter_server/exchange_test.cpp
// has the timeline and asks the formula.
TEST_CASE("by classes: a NIC's ways slow each other only while both are busy") {
  for (const double duplex : {0.5, 0.6, 0.8, 1.0, 1.3}) {
    Machine machine = ideal_workers(1);
    machine.nic_duplex = duplex;
    INFO("duplex " << duplex);
    const auto there = server_machine(1, true);
    CHECK(by_classes(machine, there, on_each_server(1, {5e6})).end_s == Approx(10e-3).epsilon(promised));
    CHECK(by_classes(machine, there, on_each_server(1, {2e6, 1e6})).end_s ==
          Approx(4e-3 + 1e-3 / std::min(1.0, duplex)).epsilon(promised));
  }
}

TEST_CASE("by classes: a server on every worker keeps both ways of all NICs busy, 2 (N-1) / (duplex B) sum s") {
  for (const double duplex : {0.4, 0.7, 1.0}) {
    Machine machine = ideal_workers(5);
    machine.nic_duplex = duplex;
    CHECK(by_classes(machine, server_machine(5, false), on_each_server(5, {3e6, 3e6})).end_s ==
          Approx(2 * 4 * 6e6 / (duplex * 1e9)).epsilon(promised));
  }
}

// Ignoring that node 0 is slow halves the time. Giving each server the mean hides the one with the 9 MB tensor: 74 %
// too quick, as measured.
TEST_CASE("by classes: what a class must not hold together: a slow node, and colocated servers with unlike shards") {
  const int nodes = std::min(ddlsim::most_ranks, 16);
  Machine machine = ideal_workers(nodes);
  machine.slow_nic_factor = 0.5;
  const auto equal = on_each_server(nodes, {1e6});
  const double slow_s = full(machine, server_machine(nodes, true), equal).end_s;
  CHECK(by_classes(ideal_workers(nodes), server_machine(nodes, true), equal).end_s ==
        Approx(slow_s / 2).epsilon(promised));

  const ServerExchange unlike = small_network(8, ddlsim::Sharding::bytes, 0.0);
  ServerExchange alike = unlike; // every server carries the mean
  const double total_bytes = 20.512e6;
  alike.shards.clear();
  for (int server = 0; server < 8; ++server) {
    alike.shards.push_back({server, server, total_bytes / 8});
  }
  alike.ready_s.assign(8, 0.0);
  const double true_s = full(ideal_workers(8), server_machine(8, false), unlike).end_s;
  CHECK(by_classes(ideal_workers(8), server_machine(8, false), alike).end_s / true_s - 1 ==
        Approx(-0.739).margin(0.001));
}

TEST_CASE("by classes: nothing to exchange takes no time, what cannot run is refused") {
  CHECK(by_classes(ideal_workers(2), server_machine(2, true), {}).end_s == 0);
  Machine no_network = ideal_workers(2);
  no_network.nic_Bps = 0;
  CHECK_THROWS_AS(by_classes(no_network, server_machine(1, true), on_each_server(1, {1e6})), std::invalid_argument);
  Machine stuck = ideal_workers(2);
  stuck.slow_nic_factor = 0;
  CHECK_THROWS_AS(by_classes(stuck, server_machine(1, true), on_each_server(1, {1e6})), std::invalid_argument);
}

TEST_CASE("by classes: answers are the same bytes each time") {
  const ServerExchange exchange = small_network(5, ddlsim::Sharding::hash, 0.02);
  const Machine machine = cluster(11, 1, 2);
  CHECK(by_classes(machine, server_machine(5, false), exchange).pulled_s ==
        by_classes(machine, server_machine(5, false), exchange).pulled_s);
}
