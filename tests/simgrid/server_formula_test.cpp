// Which engine times a server exchange, and how far the formula is from every message where it is not exact.

#include "sim/simgrid/engine_choice.hpp"
#include "tests/simgrid/exchanges.hpp"
#include "tests/simgrid/formula_range.hpp"
#include "tests/simgrid/scale.hpp"

#include <catch2/catch.hpp>

#include <string>

using ddlsim::Engine;
using ddlsim::Fidelity;
using ddlsim::ideal_workers;
using ddlsim::Machine;
using ddlsim::on_each_server;
using ddlsim::server_machine;
using ddlsim::ServerExchange;

namespace {

/// One shard a server, no two alike.
ServerExchange unlike_servers(int servers) {
  ServerExchange exchange;
  for (int server = 0; server < servers; ++server) {
    exchange.shards.push_back({server, server, 1e6 + server});
    exchange.ready_s.push_back(0);
  }
  return exchange;
}

} // namespace

TEST_CASE("classes of connections: as many as differ, whatever the nodes") {
  const ServerExchange exchange = unlike_servers(200);
  CHECK(count_connection_classes(ideal_workers(200), server_machine(200, false), exchange) == 40000);
  CHECK(count_connection_classes(ideal_workers(200), server_machine(200, true), exchange) == 200);
  CHECK(count_connection_classes(ideal_workers(16384), server_machine(1, false), on_each_server(1, {1e6})) == 2);
}

TEST_CASE("the engine of a server exchange: classes within about a second, else the formula, which says why") {
  const Machine machine = ideal_workers(16);
  const ServerExchange two = on_each_server(2, {1e6, 2e6});
  const auto choose = [](const Machine& on, int servers, bool dedicated, const ServerExchange& exchange,
                         Fidelity asked) {
    return choose_server_exchange(on, server_machine(servers, dedicated), exchange, asked);
  };
  CHECK(choose(machine, 2, true, two, Fidelity::by_default).engine == Engine::classes);
  CHECK(choose(machine, 2, true, two, Fidelity::formula).engine == Engine::formula);
  CHECK(choose(machine, 2, true, two, Fidelity::formula).is_exact);
  CHECK_FALSE(choose(machine, 2, false, two, Fidelity::formula).is_exact); // on the workers' nodes
  Machine slow = machine;
  slow.slow_nic_factor = 0.5;
  CHECK(choose(slow, 2, true, two, Fidelity::by_default).engine == Engine::classes);
  CHECK(choose(slow, 2, true, two, Fidelity::by_default).is_exact);
  CHECK(choose(slow, 2, true, two, Fidelity::formula).engine == Engine::formula);
  CHECK_FALSE(choose(slow, 2, true, two, Fidelity::formula).is_exact);
  CHECK(choose(ideal_workers(44), 44, false, unlike_servers(44), Fidelity::by_default).engine ==
        Engine::classes);             // 1,936 connections of one shard each
  for (const int nodes : {45, 200}) { // 2,025 and more
    const auto choice = choose(ideal_workers(nodes), nodes, false, unlike_servers(nodes), Fidelity::by_default);
    CHECK(choice.engine == Engine::formula);
    CHECK_FALSE(choice.is_exact);
    CHECK(choice.why == std::to_string(nodes * nodes) + " connections between workers and servers differ");
  }
  CHECK(choose(ideal_workers(200), 200, false, unlike_servers(200), Fidelity::formula).why.empty()); // as asked
  CHECK_THROWS_AS(choose(ideal_workers(128), 128, false, unlike_servers(128), Fidelity::full), ddlsim::TooManyMessages);
  CHECK(choose(ideal_workers(128), 128, false, on_each_server(128, {1e6}), Fidelity::by_default).engine ==
        Engine::classes);
}

// Where the formula is not exact: how far it is from every message. sim/simgrid/executor.hpp quotes these figures.

namespace {

/// ResNet-like: every third tensor is large, the later the larger; the last of the network is ready first.
std::vector<double> tensors() {
  std::vector<double> tensor_bytes(48);
  for (std::size_t i = 0; i < tensor_bytes.size(); ++i) {
    tensor_bytes[i] = i % 3 == 0 ? 1.5e5 * static_cast<double>(1 + i) : 4e3;
  }
  return tensor_bytes;
}

ServerExchange backward(int servers, ddlsim::Sharding rule, double duration_s) {
  const std::vector<double> tensor_bytes = tensors();
  std::vector<ddlsim::Shard> shards = ddlsim::place_tensors(tensor_bytes, servers, rule, 4e6);
  ServerExchange exchange;
  exchange.shards.assign(shards.rbegin(), shards.rend());
  const auto count = static_cast<double>(tensor_bytes.size());
  for (const ddlsim::Shard& shard : exchange.shards) {
    exchange.ready_s.push_back(duration_s * (count - 1 - shard.tensor) / count);
  }
  return exchange;
}

/// (formula / full - 1) of the end, 12 nodes, servers colocated.
double gap(int servers, ddlsim::Sharding rule, double duration_s) {
  const Machine machine = ddlsim::ideal_workers(12);
  const ServerExchange exchange = backward(servers, rule, duration_s);
  const auto colocated = ddlsim::server_machine(servers, false);
  return executor_of(Engine::formula).server_exchange(machine, colocated, exchange).end_s /
             full(machine, colocated, exchange).end_s -
         1;
}

/// One line of the table in executor.hpp: gaps for 6, 12 and 24 servers.
struct ClosedFormRow {
  double duration_s;
  ddlsim::Sharding rule;
  double gaps[3];
};

constexpr ClosedFormRow rows[] = {
    {0.0, ddlsim::Sharding::round_robin, {0.000, 0.022, 0.016}},
    {0.2, ddlsim::Sharding::round_robin, {0.000, 0.007, 0.067}},
    {0.0, ddlsim::Sharding::split, {0.000, 0.013, 0.009}},
    {0.2, ddlsim::Sharding::split, {0.000, 0.018, 0.008}},
    {0.0, ddlsim::Sharding::bytes, {0.062, 0.014, -0.001}},
    {0.2, ddlsim::Sharding::bytes, {0.032, 0.061, 0.019}},
    {0.0, ddlsim::Sharding::hash, {0.054, 0.085, -0.002}},
    {0.2, ddlsim::Sharding::hash, {0.026, 0.039, 0.037}},
};

} // namespace

TEST_CASE("gap of the formula with colocated servers that carry unequal shards") {
  constexpr int servers[] = {6, 12, 24};
  for (const ClosedFormRow& row : rows) {
    for (int i = 0; i < 3; ++i) {
      if (servers[i] > ddlsim::most_ranks) continue;
      INFO(to_text(row.rule) << ", " << servers[i] << " servers, backward of " << row.duration_s << " s");
      const double found = gap(servers[i], row.rule, row.duration_s);
      CHECK(found == Approx(row.gaps[i]).margin(0.001));
      CHECK(1 / (1 + found) - 1 >= ddlsim::range_of_servers.faster);
      CHECK(1 / (1 + found) - 1 <= ddlsim::range_of_servers.slower);
    }
  }
}

TEST_CASE("no gap with one colocated server") {
  CHECK(gap(1, ddlsim::Sharding::round_robin, 0.0) == Approx(0.0).margin(1e-6));
  CHECK(gap(1, ddlsim::Sharding::split, 0.2) == Approx(0.0).margin(1e-6));
}
