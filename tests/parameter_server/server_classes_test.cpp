#include "sim/parameter_server/server_classes.hpp"
#include "sim/parameter_server/traffic.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using ddlsim::ConnectionClass;
using ddlsim::Machine;
using ddlsim::ServerClasses;
using ddlsim::ServerExchange;
using ddlsim::ServerMachine;

namespace {

Machine nodes_in_leaves(int nodes, int nodes_per_leaf) {
  Machine machine;
  machine.ranks = nodes;
  machine.intra_Bps = machine.nic_Bps = machine.uplink_Bps = 1e9;
  machine.nodes_per_leaf = nodes_per_leaf;
  return machine;
}

ServerExchange equal_shards(int servers) {
  ServerExchange exchange;
  for (int server = 0; server < servers; ++server) {
    exchange.shards.push_back({server, server, 1e6});
    exchange.ready_s.push_back(0);
  }
  return exchange;
}

ServerExchange unlike_shards(int servers) {
  ServerExchange exchange = equal_shards(servers);
  for (int server = 0; server < servers; ++server) {
    exchange.shards[static_cast<std::size_t>(server)].size_bytes += server;
  }
  return exchange;
}

std::size_t connections(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange) {
  return count_connection_classes(find_server_classes(machine, servers, exchange));
}

double members(const ServerClasses& classes, std::size_t node_class) {
  const auto& node = classes.nodes[node_class];
  return node.per_leaf * classes.leaves[node.leaf_class].leaves;
}

} // namespace

TEST_CASE("connection classes: one for dedicated servers with equal shards, one a server where they differ") {
  const Machine machine = nodes_in_leaves(16384, 0);
  CHECK(connections(machine, {64, true}, equal_shards(64)) == 1);
  CHECK(connections(machine, {64, true}, unlike_shards(64)) == 64);
}

TEST_CASE("connection classes: equal colocated servers, one on each node: itself, own leaf, other leaves") {
  CHECK(connections(nodes_in_leaves(1, 0), {1, false}, equal_shards(1)) == 1);
  CHECK(connections(nodes_in_leaves(1000, 0), {1000, false}, equal_shards(1000)) == 2);
  CHECK(connections(nodes_in_leaves(1000, 10), {1000, false}, equal_shards(1000)) == 3);
  // A short last leaf of 4: each kind of leaf by itself as before (the short one has no others), and both ways between.
  CHECK(connections(nodes_in_leaves(1004, 10), {1004, false}, equal_shards(1004)) == 3 + 2 + 2);
}

TEST_CASE("connection classes: one colocated server on a fat-tree") {
  // Its own node, the others of its leaf, full leaves, the short last leaf.
  CHECK(connections(nodes_in_leaves(1804, 18), {1, false}, equal_shards(1)) == 4);
}

TEST_CASE("connection classes: unlike colocated servers are each alone, nodes without one are alike") {
  CHECK(connections(nodes_in_leaves(64, 0), {64, false}, unlike_shards(64)) == 4096);
  CHECK(connections(nodes_in_leaves(16384, 0), {64, false}, unlike_shards(64)) == 4160);
}

TEST_CASE("connection classes: a node splits off when its NIC or its ready times differ, and only then") {
  Machine machine = nodes_in_leaves(100, 0);
  ServerExchange exchange = equal_shards(4);
  exchange.slow_ready_s = exchange.ready_s;
  CHECK(connections(machine, {4, true}, exchange) == 1);
  exchange.slow_ready_s[2] = 1;
  CHECK(connections(machine, {4, true}, exchange) == 4); // server 2 is also unlike the others then
  exchange.slow_ready_s.clear();
  machine.slow_nic_factor = 0.5;
  CHECK(connections(machine, {4, true}, exchange) == 2);
}

TEST_CASE("connection classes: a short last node is as good as a full one, for it sends as many copies") {
  Machine machine = nodes_in_leaves(33, 0);
  machine.ranks_per_node = 8;
  CHECK(machine.nodes() == 5);
  CHECK(connections(machine, {2, true}, equal_shards(2)) == 1);
}

TEST_CASE("connection classes: order and ready times of the shards count, servers without shards do not") {
  ServerExchange exchange;
  exchange.shards = {{0, 0, 1e6}, {1, 0, 2e6}, {2, 1, 2e6}, {3, 1, 1e6}};
  exchange.ready_s = {0, 0, 0, 0};
  CHECK(connections(nodes_in_leaves(4, 0), {2, true}, exchange) == 2);
  exchange.shards = {{0, 0, 1e6}, {1, 1, 1e6}};
  exchange.ready_s = {0, 0.1};
  CHECK(connections(nodes_in_leaves(4, 0), {3, true}, exchange) == 2);
  CHECK(connections(nodes_in_leaves(4, 0), {3, true}, {}) == 0);
}

TEST_CASE("roles of an exchange asked before are those of its own times") {
  const auto machine = nodes_in_leaves(4, 0);
  const ServerMachine servers{4, false};
  for (const bool unlike : {true, false}) {
    auto exchange = unlike ? unlike_shards(4) : equal_shards(4);
    for (const double ready_s : {0.0, 1.0, 2.0, 0.0}) {
      exchange.ready_s[1] = ready_s; // tells server 1 from servers of the same shards
      const auto kept = server_classes_of(machine, servers, exchange);
      const auto found = find_server_classes(machine, servers, exchange);
      CHECK(kept->nodes.size() == found.nodes.size());
      CHECK(kept->servers.size() == found.servers.size());
      CHECK(kept->servers.size() == (unlike ? 4 : ready_s > 0 ? 2 : 1));
    }
  }
}

TEST_CASE("connection classes add up: every worker reaches every server with shards once, seen from either side") {
  std::mt19937_64 random(5);
  for (int round = 0; round < 300; ++round) {
    Machine machine = nodes_in_leaves(1 + static_cast<int>(random() % 40), static_cast<int>(random() % 7));
    if (random() % 2 == 0) machine.slow_nic_factor = 0.5;
    const ServerMachine servers{1 + static_cast<int>(random() % 50), random() % 2 == 0};
    ServerExchange exchange;
    std::vector<bool> used(static_cast<std::size_t>(servers.servers));
    for (int i = 0; i < 30; ++i) {
      const int server = static_cast<int>(random() % static_cast<unsigned>(servers.servers));
      exchange.shards.push_back({i, server, random() % 3 == 0 ? 2e6 : 1e6});
      used[static_cast<std::size_t>(server)] = true;
    }
    exchange.ready_s.assign(exchange.shards.size(), 0.0);
    const ServerClasses classes = find_server_classes(machine, servers, exchange);
    double workers_to_servers = 0;
    for (const ConnectionClass& connection : find_connection_classes(classes)) {
      const auto& server = classes.servers[connection.server_class];
      const double from_workers = members(classes, connection.node_class) * connection.servers;
      const double from_servers = members(classes, server.node_class) * server.per_node * connection.workers;
      REQUIRE(from_workers == from_servers);
      workers_to_servers += from_workers;
    }
    CHECK(workers_to_servers == static_cast<double>(machine.nodes() * std::count(used.begin(), used.end(), true)));
  }
}

TEST_CASE("each shard is found at its place in a server of its class") {
  const Machine machine = nodes_in_leaves(6, 4);
  const ServerExchange exchange = [] {
    ServerExchange mixed = equal_shards(6);
    mixed.shards.push_back({6, 3, 5e6});
    mixed.ready_s.push_back(0.2);
    return mixed;
  }();
  const ServerClasses classes = find_server_classes(machine, {6, false}, exchange);
  REQUIRE(classes.shards.size() == exchange.shards.size());
  for (std::size_t i = 0; i < exchange.shards.size(); ++i) {
    const auto& role = classes.shards[i];
    const std::size_t alike = classes.servers[role.server_class].shards.at(role.position);
    CHECK(exchange.shards[alike].size_bytes == exchange.shards[i].size_bytes);
    CHECK(exchange.ready_s[alike] == exchange.ready_s[i]);
  }
  CHECK(classes.shards[6].position == 1);
}
