#include "sim/parameter_server/exchange.hpp"
#include "tests/parameter_server/servers.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <stdexcept>

using ddlsim::dedicated;
using ddlsim::Machine;
using ddlsim::ServerExchange;
using ddlsim::ServerMachine;

namespace {

constexpr double rounding = 1e-9;

Machine workers(int nodes) {
  Machine machine;
  machine.ranks = nodes;
  machine.ranks_per_node = 1;
  machine.intra_Bps = 1e15; // the loopback is never the narrow place here
  machine.nic_Bps = 1e9;
  return machine;
}

ServerMachine colocated(int servers) {
  ServerMachine machine = dedicated(servers);
  machine.dedicated = false;
  return machine;
}

/// The same list of shards on every server, everything ready at 0.
ServerExchange on_each_server(int servers, const std::vector<double>& sizes_bytes) {
  ServerExchange exchange;
  for (const double size_bytes : sizes_bytes) {
    for (int server = 0; server < servers; ++server) {
      exchange.shards.push_back({static_cast<int>(exchange.shards.size()), server, size_bytes});
    }
  }
  exchange.ready_s.assign(exchange.shards.size(), 0.0);
  return exchange;
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double largest(const std::vector<double>& values) {
  return *std::max_element(values.begin(), values.end());
}

} // namespace

TEST_CASE("one dedicated server is a two-machine flow shop: copies/B (sum s + max s)") {
  const std::vector<double> sizes_bytes = {3e6, 8e6, 1e5, 5e6};
  for (int nodes = 1; nodes <= 64; ++nodes) {
    const auto timing = server_exchange_closed_form(workers(nodes), dedicated(1), on_each_server(1, sizes_bytes));
    CHECK(timing.end_s == Approx(nodes / 1e9 * (sum(sizes_bytes) + largest(sizes_bytes))).epsilon(rounding));
    CHECK(timing.busiest_server_s == Approx(nodes / 1e9 * sum(sizes_bytes)).epsilon(rounding));
  }
}

// Shards of 2 and 1 MB, a worker of 1 GB/s, both ways of a NIC 2 d GB/s together:
//   2 ms      the first is in, and goes out beside the second: both at d
//   1 / d ms  the second is in, 1 MB of the first is out and the other goes alone: 1 ms; then the second: 1 ms
TEST_CASE("a NIC's ways slow each other only while both are busy") {
  for (const double duplex : {0.5, 0.6, 0.8, 1.0, 1.3}) {
    Machine machine = workers(1);
    machine.nic_duplex = duplex;
    INFO("duplex " << duplex);
    const auto one_way = on_each_server(1, {5e6});
    const auto both_ways = on_each_server(1, {2e6, 1e6});
    const double both_s = 4e-3 + 1e-3 / std::min(1.0, duplex);
    CHECK(server_exchange_closed_form(machine, dedicated(1), one_way).end_s == Approx(10e-3).epsilon(rounding));
    CHECK(server_exchange_closed_form(machine, dedicated(1), both_ways).end_s == Approx(both_s).epsilon(rounding));
  }
}

TEST_CASE("below a half, one way of a NIC has no more than both together") {
  Machine machine = workers(4);
  machine.nic_duplex = 0.3;
  const auto timing = server_exchange_closed_form(machine, dedicated(1), on_each_server(1, {3e6}));
  CHECK(timing.end_s == Approx(2 * 4 * 3e6 / 0.6e9).epsilon(rounding));
}

TEST_CASE("a server on every worker keeps both ways of all NICs busy: 2 (N-1) / (duplex B) sum s") {
  for (const double duplex : {0.4, 0.7, 1.0}) {
    Machine machine = workers(5);
    machine.nic_duplex = duplex;
    const auto exchange = on_each_server(5, {3e6, 3e6});
    const double end_s = 2 * 4 * 6e6 / (duplex * 1e9);
    CHECK(server_exchange_closed_form(machine, colocated(5), exchange).end_s == Approx(end_s).epsilon(rounding));
  }
}

TEST_CASE("as many dedicated servers as workers, with equal shards, take as long as one server with its share") {
  const std::vector<double> sizes_bytes = {3e6, 8e6, 1e5};
  for (const int nodes : {1, 2, 3, 8, 17, 64}) {
    const auto timing =
        server_exchange_closed_form(workers(nodes), dedicated(nodes), on_each_server(nodes, sizes_bytes));
    CHECK(timing.end_s == Approx(nodes / 1e9 * (sum(sizes_bytes) + largest(sizes_bytes))).epsilon(rounding));
  }
}

TEST_CASE("a server on every worker: the NICs are never idle, 2 (N-1)/B sum s") {
  const std::vector<double> sizes_bytes = {4e6, 4e6, 4e6};
  for (const int nodes : {2, 3, 8, 64}) {
    const auto timing =
        server_exchange_closed_form(workers(nodes), colocated(nodes), on_each_server(nodes, sizes_bytes));
    CHECK(timing.end_s == Approx(2 * (nodes - 1) / 1e9 * sum(sizes_bytes)).epsilon(1e-6));
  }
}

TEST_CASE("more servers than workers: the worker's NIC is the bound, all shards arrive together") {
  const auto timing = server_exchange_closed_form(workers(1), dedicated(4), on_each_server(4, {2e6}));
  CHECK(timing.end_s == Approx(2 * 4 * 2e6 / 1e9).epsilon(rounding));
}

TEST_CASE("latency is paid once each way, a message's cost by every copy in each direction") {
  Machine machine = workers(4);
  machine.net_latency_s = 50e-6;
  ServerExchange exchange = on_each_server(1, {1e6});
  exchange.message_cost_s = 30e-6;
  const auto timing = server_exchange_closed_form(machine, dedicated(1), exchange);
  CHECK(timing.end_s == Approx(2 * (4 * (1e6 / 1e9 + 30e-6) + 50e-6)).epsilon(rounding));
}

TEST_CASE(
    "messages cost their servers time, not the workers' NICs: servers that are busy beside each other do not wait") {
  for (const int servers : {1, 2, 4, 8}) {
    INFO(servers << " servers");
    ServerExchange exchange = on_each_server(servers, {1e-3, 1e-3, 1e-3, 1e-3}); // nothing but cost
    exchange.message_cost_s = 30e-6;
    const auto timing = server_exchange_closed_form(workers(2), dedicated(servers), exchange);
    CHECK(timing.end_s == Approx(2 * (4 + 1) * 30e-6).epsilon(1e-6)); // sum and largest, two copies; 1 mB at 1 GB/s
  }
}

TEST_CASE("process and connection ceilings") {
  ServerMachine slow_process = dedicated(1);
  slow_process.process_Bps = 2.5e8;
  CHECK(server_exchange_closed_form(workers(4), slow_process, on_each_server(1, {1e6})).end_s ==
        Approx(2 * 4 * 1e6 / 2.5e8).epsilon(rounding));
  ServerMachine slow_connection = dedicated(1);
  slow_connection.connection_Bps = 1e8;
  CHECK(server_exchange_closed_form(workers(4), slow_connection, on_each_server(1, {1e6})).end_s ==
        Approx(2 * 1e6 / 1e8).epsilon(rounding));
}

TEST_CASE("copies that are not summed on the node each cross the NIC") {
  ServerExchange exchange = on_each_server(1, {1e6});
  exchange.messages_per_node = 4;
  CHECK(server_exchange_closed_form(workers(3), dedicated(1), exchange).end_s ==
        Approx(2 * 12 * 1e6 / 1e9).epsilon(rounding));
}

TEST_CASE("a shard waits until it is ready, and for the one before it") {
  ServerExchange exchange = on_each_server(1, {1e6, 1e6, 1e6});
  exchange.ready_s = {0.0, 0.001, 0.010};
  const auto timing = server_exchange_closed_form(workers(2), dedicated(1), exchange);
  CHECK(timing.summed_s[0] == Approx(0.002).epsilon(rounding));
  CHECK(timing.summed_s[1] == Approx(0.004).epsilon(rounding));
  CHECK(timing.summed_s[2] == Approx(0.012).epsilon(rounding));
  CHECK(timing.pulled_s[0] == Approx(0.004).epsilon(rounding));
  CHECK(timing.pulled_s[1] == Approx(0.006).epsilon(rounding));
  CHECK(timing.pulled_s[2] == Approx(0.014).epsilon(rounding));
}

TEST_CASE("the busiest server is the one with most bytes") {
  ServerExchange exchange;
  exchange.shards = {{0, 0, 1e6}, {1, 1, 3e6}, {2, 0, 1e6}};
  exchange.ready_s = {0, 0, 0};
  const auto timing = server_exchange_closed_form(workers(2), dedicated(2), exchange);
  CHECK(timing.busiest_server == 1);
  CHECK(timing.busiest_server_s == Approx(2 * 3e6 / 1e9).epsilon(rounding));
}

TEST_CASE("an oversubscribed uplink slows what leaves a leaf") {
  Machine machine = workers(4);
  machine.nodes_per_leaf = 4;
  machine.uplink_Bps = 5e8; // the four workers share it, the four servers are behind the next leaf's
  const auto timing = server_exchange_closed_form(machine, dedicated(4), on_each_server(4, {1e6}));
  CHECK(timing.end_s == Approx(2 * 16 * 1e6 / 5e8).epsilon(rounding));
}

TEST_CASE("no shards take no time, and what cannot be computed is refused") {
  CHECK(server_exchange_closed_form(workers(2), dedicated(1), {}).end_s == 0);
  ServerExchange exchange = on_each_server(1, {1e6});
  exchange.ready_s.clear();
  CHECK_THROWS_AS(server_exchange_closed_form(workers(2), dedicated(1), exchange), std::invalid_argument);
  Machine no_network = workers(2);
  no_network.nic_Bps = 0;
  CHECK_THROWS_AS(server_exchange_closed_form(no_network, dedicated(1), on_each_server(1, {1e6})),
                  std::invalid_argument);
  Machine no_direction = workers(2);
  no_direction.nic_duplex = 0;
  CHECK_THROWS_AS(server_exchange_closed_form(no_direction, dedicated(1), on_each_server(1, {1e6})),
                  std::invalid_argument);
}
