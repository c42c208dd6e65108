#include "sim/base/child_process.hpp"
#include "sim/simgrid/engine_choice.hpp"
#include "sim/simgrid/executor.hpp"
#include "sim/simgrid/fabric_zone.hpp"
#include "sim/simgrid/requests.hpp"
#include "sim/simgrid/simgrid_settings.hpp"
#include "tests/network/fabrics.hpp"
#include "tests/simgrid/exchanges.hpp"
#include "tests/simgrid/formula_range.hpp"
#include "tests/simgrid/scale.hpp"

#include <catch2/catch.hpp>
#include <simgrid/s4u.hpp>

#include <map>

namespace ddlsim {
namespace {

/// Links as they come up: the first is 0, every new one the next number.
template <class Link> class Numbering {
public:
  double of(const Link& link) { return static_cast<double>(numbers_.emplace(link, numbers_.size()).first->second); }

private:
  std::map<Link, std::size_t> numbers_;
};

/// Every pair's way one after another, each behind its length.
template <class Link, class RouteOf> Numbers all_routes(int nodes, const RouteOf& route_of) {
  Numbering<Link> numbering;
  Numbers routes;
  for (int from = 0; from < nodes; ++from)
    for (int to = 0; to < nodes; ++to) {
      const auto route = route_of(from, to);
      routes.push_back(static_cast<double>(route.size()));
      for (const auto& link : route) routes.push_back(numbering.of(link));
    }
  return routes;
}

Numbers routes_on_simgrid(const Numbers& request) {
  RequestReader read(request);
  const auto machine = read.machine();
  start_simgrid();
  FabricZone zone(make_full_zone("test"), machine);
  return all_routes<const simgrid::s4u::Link*>(machine.nodes(), [&](int from, int to) { return zone.route(from, to); });
}

double time_s(Engine engine, const Machine& machine, double size_bytes, Algorithm algorithm) {
  return executor_of(engine).all_reduces(machine, {size_bytes}, algorithm).times_s.front();
}

Machine random_nodes(std::mt19937_64& random, int most) {
  Machine machine = random_machine(random, most);
  machine.nodes_per_leaf = 0;
  return machine;
}

} // namespace

TEST_CASE("our ways are those of SimGrid's torus and dragonfly", "[fabric][simgrid]") {
  std::vector<Fabric> fabrics{torus({7}, 1e9),         torus({4, 4}, 1e9),      torus({3, 2, 5}, 1e9),
                              torus({2, 2}, 1e9),      torus({1, 6}, 1e9),      dragonfly(1, 3, 2, 1e9),
                              dragonfly(2, 2, 3, 1e9), dragonfly(3, 4, 2, 1e9), dragonfly(4, 5, 1, 1e9, 3)};
  for (const auto& fabric : fabrics) {
    const auto machine = placed_on(two_level(nodes_of_fabric(fabric), 1), fabric, {}, nodes_of_fabric(fabric));
    RequestWriter request;
    request.add(machine);
    INFO(describe(fabric));
    CHECK(all_routes<std::size_t>(machine.nodes(), [&](int from, int to) { return links_between(fabric, from, to); }) ==
          run_in_fork(routes_on_simgrid, request.numbers()));
  }
}

TEST_CASE("our static ways are those of SimGrid's fat-tree", "[fabric][simgrid]") {
  for (const auto& tree : {fat_tree(4, 2), fat_tree(3, 1), fat_tree(5, 5), fat_tree(24, 1.5), fat_tree(4, 1, {{16, 2}}),
                           fat_tree(6, 1.5, {{18, 1}, {36, 2}}), fat_tree(2, 1, {{6, 1.5}})}) {
    const auto fabric = with_static_routes(tree);
    const int nodes = 2 * levels_of(fabric).back().nodes;
    const auto machine = placed_on(two_level(nodes, 1), fabric, {}, nodes);
    RequestWriter request;
    request.add(machine);
    INFO(describe(fabric));
    CHECK(all_routes<std::size_t>(nodes, [&](int from, int to) { return links_between(fabric, from, to); }) ==
          run_in_fork(routes_on_simgrid, request.numbers()));
  }
}

TEST_CASE("every cable of SimGrid's fat-tree is as wide as a NIC, less what others take", "[fabric][full]") {
  // Two of four messages meet on a cable of each leaf: all nodes of a leaf send to one that is 0 modulo 2.
  auto machine = placed_on(two_level(4, 1), with_static_routes(fat_tree(2, 1)), {NodeOrder::listed, {0, 2, 1, 4}}, 6);
  machine.net_latency_s = 0;
  // Ways of the ring: 0 to 2 and 1 to 4 leave the first leaf over cable 0; 2 to 1 over cable 1; 4 to 0 over cable 0.
  CHECK(machine.fabric->load.ring == Approx(2));
  CHECK(time_s(Engine::full, machine, 4e6, Algorithm::ring) ==
        Approx(6 * 1e6 / (machine.nic_Bps / 2)).epsilon(promised));
  auto adaptive = *machine.fabric;
  adaptive.fabric.routing = Routing::adaptive;
  adaptive.load = fabric_load(adaptive, 4);
  machine.fabric = std::make_shared<const PlacedFabric>(adaptive);
  CHECK(time_s(Engine::full, machine, 4e6, Algorithm::ring) == Approx(6 * 1e6 / machine.nic_Bps).epsilon(promised));
}

TEST_CASE("with static routes, too, a ring is as on one switch where no link is busier than a NIC",
          "[fabric][full][property]") {
  std::mt19937_64 random(15);
  int looked_at = 0;
  for (int round = 0; round < 300 && looked_at < 20; ++round) {
    const auto machine = on_random_static_tree(random_nodes(random, most_ranks), random);
    if (machine.nodes() < 2 || machine.fabric->load.ring > 1) continue;
    ++looked_at;
    INFO("round " << round << ": " << machine.ranks << " ranks on a " << describe(machine.fabric->fabric));
    CHECK(time_s(Engine::full, machine, 25e6, Algorithm::ring) ==
          Approx(time_s(Engine::formula, machine, 25e6, Algorithm::ring)).epsilon(promised));
  }
  CHECK(looked_at >= 10);
}

TEST_CASE("full lies in the range that draws found for static routes", "[fabric][full][property]") {
  std::mt19937_64 random(17);
  constexpr double affordable = 2e4; // messages
  for (int round = 0; round < 40; ++round) {
    const int most = round % 2 == 0 ? most_ranks : 8;
    const auto machine = on_random_static_tree(random_nodes(random, most), random);
    if (machine.nodes() < 2) continue;
    const double size_bytes = log_uniform(random, 1e3, 1e8);
    for (const auto algorithm : values_of<Algorithm>()) {
      if (messages_of_collective(machine, all_reduce_by(algorithm), size_bytes, 1) > affordable) continue;
      const double full_s = time_s(Engine::full, machine, size_bytes, algorithm);
      const double off = full_s / time_s(Engine::formula, machine, size_bytes, algorithm) - 1;
      const FormulaRange range = formula_range(machine, algorithm, size_bytes);
      INFO("round " << round << ": " << to_text(algorithm) << ", " << machine.ranks << " ranks on " << machine.nodes()
                    << " nodes, " << size_bytes << " B, " << describe(machine.fabric->fabric));
      CHECK(off >= range.faster - promised);
      CHECK(off <= range.slower + promised);
    }
  }
}

TEST_CASE("a machine on a fabric reaches the fork as it is", "[fabric][simgrid]") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 50; ++round) {
    const auto machine = on_random_fabric(random_nodes(random, 40), random);
    RequestWriter request;
    request.add(machine);
    const auto there = RequestReader(request.numbers()).machine();
    auto placed = *there.fabric;
    placed.load = machine.fabric->load; // stays here
    CHECK(placed == *machine.fabric);
    CHECK(there.nic_Bps == machine.nic_Bps);
  }
}

TEST_CASE("a ring on a fabric by hand: two messages on every uplink", "[fabric][full]") {
  auto machine = placed_on(two_level(4, 1), fat_tree(2, 2), {NodeOrder::scattered, {}}, 4);
  machine.net_latency_s = 0;
  CHECK(time_s(Engine::full, machine, 4e6, Algorithm::ring) ==
        Approx(6 * 1e6 / (machine.nic_Bps / 2)).epsilon(promised));
  // A background of half the links makes it take twice as long.
  auto placed = *machine.fabric;
  placed.background = 0.5;
  placed.load = fabric_load(placed, 4);
  machine.fabric = std::make_shared<const PlacedFabric>(placed);
  CHECK(time_s(Engine::full, machine, 4e6, Algorithm::ring) ==
        Approx(6 * 1e6 / (machine.nic_Bps / 4)).epsilon(promised));
}

TEST_CASE("where no link is busier than a NIC, a ring is as on one switch", "[fabric][full][property]") {
  std::mt19937_64 random(5);
  int looked_at = 0;
  for (int round = 0; round < 300 && looked_at < 40; ++round) {
    const auto machine = on_random_fabric(random_nodes(random, most_ranks), random);
    if (machine.nodes() < 2 || machine.fabric->load.ring > 1) continue;
    ++looked_at;
    INFO("round " << round << ": " << machine.ranks << " ranks on a " << describe(machine.fabric->fabric));
    CHECK(time_s(Engine::full, machine, 25e6, Algorithm::ring) ==
          Approx(time_s(Engine::formula, machine, 25e6, Algorithm::ring)).epsilon(promised));
    const Choice choice = choose_collective(machine, all_reduce_by(Algorithm::ring), 25e6, 1, Fidelity::formula);
    CHECK(choice.is_exact);
    CHECK(choice.why.empty());
  }
  CHECK(looked_at >= 20);
}

TEST_CASE("full lies in the range that draws found for a fabric", "[fabric][full][property]") {
  std::mt19937_64 random(7);
  constexpr double affordable = 2e4; // messages: a twentieth of a second
  for (int round = 0; round < 60; ++round) {
    const int most = round % 2 == 0 ? most_ranks : 8; // few ranks differ most
    const auto machine = on_random_fabric(random_nodes(random, most), random);
    if (machine.nodes() < 2) continue;
    const double size_bytes = log_uniform(random, 1e3, 1e8);
    for (const auto algorithm : values_of<Algorithm>()) {
      if (messages_of_collective(machine, all_reduce_by(algorithm), size_bytes, 1) > affordable) continue;
      const double full_s = time_s(Engine::full, machine, size_bytes, algorithm);
      const double off = full_s / time_s(Engine::formula, machine, size_bytes, algorithm) - 1;
      const FormulaRange range = formula_range(machine, algorithm, size_bytes);
      INFO("round " << round << ": " << to_text(algorithm) << ", " << machine.ranks << " ranks on " << machine.nodes()
                    << " nodes, " << size_bytes << " B, " << describe(machine.fabric->fabric));
      CHECK(off >= range.faster - promised);
      CHECK(off <= range.slower + promised);
    }
  }
}

TEST_CASE("full servers lie in the range that draws found for a fabric", "[fabric][full][property]") {
  std::mt19937_64 random(9);
  for (int round = 0; round < 60; ++round) {
    auto machine = random_nodes(random, std::min(most_ranks, 24));
    machine.ranks_per_node = 1;
    machine = on_random_fabric(machine, random);
    const int servers = 1 + static_cast<int>(random() % static_cast<unsigned>(machine.nodes()));
    const auto there = server_machine(servers, false);
    const auto exchange = on_each_server(servers, std::vector<double>(1 + random() % 4, log_uniform(random, 1e3, 1e8)));
    const auto range = widened(range_of_servers_with(machine), range_of_servers_on_fabric);
    const double full_s = full(machine, there, exchange).end_s;
    const double off = full_s / executor_of(Engine::formula).server_exchange(machine, there, exchange).end_s - 1;
    INFO("round " << round << ": " << machine.nodes() << " nodes, " << servers << " servers, "
                  << describe(machine.fabric->fabric));
    CHECK(off >= range.faster - promised);
    CHECK(off <= range.slower + promised);
  }
}

TEST_CASE("servers that the fabric has no place for are not run with every message", "[fabric]") {
  const auto machine = placed_on(two_level(4, 1), torus({2, 2}, 10e9), {}, 4);
  const auto servers = server_machine(2, true); // hosts of their own, and all four nodes are taken
  const auto exchange = on_each_server(2, {1e6});
  CHECK(choose_server_exchange(machine, servers, exchange, Fidelity::by_default).engine != Engine::full);
  CHECK_THROWS_AS(choose_server_exchange(machine, servers, exchange, Fidelity::full), TooManyMessages);
  CHECK(choose_server_exchange(machine, server_machine(2, false), exchange, Fidelity::by_default).engine ==
        Engine::full);
}

} // namespace ddlsim
