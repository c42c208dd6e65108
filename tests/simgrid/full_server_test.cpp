#include "tests/parameter_server/servers.hpp"
#include "tests/simgrid/exchanges.hpp"
#include "tests/simgrid/scale.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>

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

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double largest(const std::vector<double>& values) {
  return *std::max_element(values.begin(), values.end());
}

/// Shards of any size on any server, ready one after another.
ServerExchange random_exchange(std::mt19937_64& random, int servers) {
  ServerExchange exchange;
  double ready_s = 0;
  const int shards = 1 + static_cast<int>(random() % 12);
  for (int i = 0; i < shards; ++i) {
    const auto size_bytes = static_cast<double>(1 + random() % 5000000);
    exchange.shards.push_back({i, static_cast<int>(random() % static_cast<unsigned>(servers)), size_bytes});
    exchange.ready_s.push_back(ready_s);
    ready_s += static_cast<double>(random() % 4000) * 1e-6;
  }
  exchange.messages_per_node = 1 + static_cast<int>(random() % 2);
  exchange.message_cost_s = static_cast<double>(random() % 50) * 1e-6;
  return exchange;
}

} // namespace

// Two workers, server 0 on node 0, server 1 on node 1; NICs 1 GB/s, loopback 4 GB/s, no latency. Shard a = 2 MB on
// server 0, b = 4 MB on server 1, both ready at 0.
//   0 ms   a: node 1 -> node 0 at 1 GB/s, node 0's own copy by loopback    b: node 0 -> node 1 likewise
//   2 ms   server 0 has both copies of a. It gives a out: node 0 -> node 1, the way on which b's last 2 MB still are,
//   so
//          both get 0.5 GB/s; node 0's own copy by loopback
//   6 ms   the last byte of b is in (2 MB at 0.5 GB/s); so is the last byte of a at worker 1: a is pulled
//          server 1 gives b out: node 1 -> node 0, 4 MB at 1 GB/s
//   10 ms  b is pulled
TEST_CASE("golden timeline: two colocated servers share the NICs between push and pull") {
  Machine machine = ideal_workers(2);
  machine.intra_Bps = 4e9;
  ServerExchange exchange;
  exchange.shards = {{0, 0, 2e6}, {1, 1, 4e6}};
  exchange.ready_s = {0, 0};
  for (const Engine engine : {Engine::full, Engine::formula}) {
    const auto timing = executor_of(engine).server_exchange(machine, server_machine(2, false), exchange);
    CHECK(timing.pulled_s[0] == Approx(0.006).epsilon(promised));
    CHECK(timing.pulled_s[1] == Approx(0.010).epsilon(promised));
    CHECK(timing.busiest_server == 1);
    CHECK(timing.busiest_server_s == Approx(0.004).epsilon(promised));
  }
}

TEST_CASE("full: one dedicated server is a two-machine flow shop, N/B (sum s + max s), every N") {
  const std::vector<double> sizes_bytes = {3e6, 8e6, 1e5, 5e6};
  for (int nodes = 1; nodes <= ddlsim::most_ranks; ++nodes) {
    const auto timing = full(ideal_workers(nodes), server_machine(1, true), on_each_server(1, sizes_bytes));
    INFO(nodes << " workers");
    CHECK(timing.end_s == Approx(nodes / 1e9 * (sum(sizes_bytes) + largest(sizes_bytes))).epsilon(promised));
  }
}

TEST_CASE("full: one colocated server, N-1 copies on its NIC, every N") {
  const std::vector<double> sizes_bytes = {3e6, 8e6, 1e5};
  for (int nodes = 2; nodes <= ddlsim::most_ranks; ++nodes) {
    const auto timing = full(ideal_workers(nodes), server_machine(1, false), on_each_server(1, sizes_bytes));
    INFO(nodes << " workers");
    CHECK(timing.end_s == Approx((nodes - 1) / 1e9 * (sum(sizes_bytes) + largest(sizes_bytes))).epsilon(promised));
  }
}

TEST_CASE("full: as many balanced servers as workers, dedicated and colocated") {
  const std::vector<double> sizes_bytes = {3e6, 3e6};
  for (const int nodes : {1, 2, 3, 4, 5, 7, 8, 13, 16, 31, 32, 64}) {
    if (nodes > ddlsim::most_ranks) continue;
    INFO(nodes << " workers and servers");
    const auto dedicated = full(ideal_workers(nodes), server_machine(nodes, true), on_each_server(nodes, sizes_bytes));
    CHECK(dedicated.end_s == Approx(nodes / 1e9 * (sum(sizes_bytes) + largest(sizes_bytes))).epsilon(promised));
    if (nodes == 1) continue; // a single colocated node has no network
    const auto colocated = full(ideal_workers(nodes), server_machine(nodes, false), on_each_server(nodes, sizes_bytes));
    CHECK(colocated.end_s == Approx(2 * (nodes - 1) / 1e9 * sum(sizes_bytes)).epsilon(promised)); // NICs never idle
  }
}

TEST_CASE("full equals the closed form for dedicated servers, whatever the shards and limits") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 60; ++round) {
    Machine machine = ideal_workers(1 + static_cast<int>(random() % 6));
    machine.net_latency_s = static_cast<double>(random() % 200) * 1e-6;
    ServerMachine servers = server_machine(1 + static_cast<int>(random() % 6), true);
    if (random() % 3 == 0) servers.process_Bps = 4e8;
    if (random() % 3 == 0) servers.connection_Bps = 2e8;
    if (round % 2 == 0) machine.nic_duplex = 0.3 + 0.02 * round;
    const ServerExchange exchange = random_exchange(random, servers.servers);
    INFO("round " << round);
    check_same(full(machine, servers, exchange),
               executor_of(Engine::formula).server_exchange(machine, servers, exchange));
  }
}

TEST_CASE("full equals the closed form for one colocated server, ceilings and message cost included") {
  std::mt19937_64 random(4);
  for (int round = 0; round < 20; ++round) {
    Machine machine = ideal_workers(1 + static_cast<int>(random() % 6));
    machine.net_latency_s = machine.intra_latency_s = 20e-6;
    ServerMachine servers = server_machine(1, false);
    if (random() % 2 == 0) servers.process_Bps = 4e8;
    if (round % 2 == 0) machine.nic_duplex = 0.3 + 0.05 * round;
    const ServerExchange exchange = random_exchange(random, 1);
    INFO("round " << round);
    check_same(full(machine, servers, exchange),
               executor_of(Engine::formula).server_exchange(machine, servers, exchange));
  }
}

TEST_CASE("full: an oversubscribed uplink slows what leaves a leaf") {
  Machine machine = ideal_workers(4);
  machine.nodes_per_leaf = 4;
  machine.uplink_Bps = 5e8; // the four workers share it, the four servers are behind the next leaf's
  CHECK(full(machine, server_machine(4, true), on_each_server(4, {1e6})).end_s ==
        Approx(2 * 16 * 1e6 / 5e8).epsilon(promised));
}

TEST_CASE("full: workers and servers of one node talk by the loopback") {
  Machine machine = ideal_workers(1);
  machine.intra_Bps = 2e9;
  machine.intra_latency_s = 1e-5;
  machine.net_latency_s = 1; // must not be seen
  ServerExchange exchange = on_each_server(1, {1e6});
  exchange.messages_per_node = 4;
  CHECK(full(machine, server_machine(1, false), exchange).end_s ==
        Approx(2 * (4 * 1e6 / 2e9 + 1e-5)).epsilon(promised));
}

TEST_CASE("full: no byte is lost, so no NIC carries its load faster than its rate") {
  std::mt19937_64 random(6);
  for (int round = 0; round < 20; ++round) {
    const Machine machine = ideal_workers(2 + static_cast<int>(random() % 4));
    const ServerMachine servers = server_machine(1 + static_cast<int>(random() % 5), random() % 2 == 0);
    const ServerExchange exchange = random_exchange(random, servers.servers);
    const int copies = machine.nodes() * exchange.messages_per_node;
    const int remote = servers.dedicated ? copies : copies - exchange.messages_per_node;
    const auto timing = full(machine, servers, exchange);
    REQUIRE(timing.pulled_s.size() == exchange.shards.size());
    for (const double load_bytes : server_loads(exchange.shards, servers.servers)) {
      CHECK(timing.end_s >= remote * load_bytes / machine.nic_Bps * (1 - promised));
    }
    for (std::size_t i = 0; i < exchange.shards.size(); ++i) {
      const double there_and_back_s = 2 * remote * exchange.shards[i].size_bytes / machine.nic_Bps;
      CHECK(timing.summed_s[i] >= (exchange.ready_s[i] + there_and_back_s / 2) * (1 - promised));
      CHECK(timing.pulled_s[i] >= (exchange.ready_s[i] + there_and_back_s) * (1 - promised));
    }
  }
}

TEST_CASE("full exchange: more bandwidth is never slower, more latency never faster") {
  std::mt19937_64 random(8);
  for (int round = 0; round < 10; ++round) {
    Machine machine = ideal_workers(2 + static_cast<int>(random() % 4));
    machine.net_latency_s = 30e-6;
    const ServerMachine servers = server_machine(1 + static_cast<int>(random() % 4), true);
    const ServerExchange exchange = random_exchange(random, servers.servers);
    const double base_s = full(machine, servers, exchange).end_s;
    Machine wider = machine;
    wider.nic_Bps *= 2;
    Machine later = machine;
    later.net_latency_s *= 3;
    CHECK(full(wider, servers, exchange).end_s <= base_s * (1 + promised));
    CHECK(full(later, servers, exchange).end_s >= base_s * (1 - promised));
  }
}

TEST_CASE("full: nothing to exchange takes no time, what cannot run is refused before it is forked") {
  CHECK(full(ideal_workers(2), server_machine(2, true), {}).end_s == 0);
  Machine no_network = ideal_workers(2);
  no_network.nic_Bps = 0;
  CHECK_THROWS_AS(full(no_network, server_machine(1, true), on_each_server(1, {1e6})), std::invalid_argument);
}
