#include "sim/collective/collective.hpp"
#include "sim/simgrid/engine_choice.hpp"
#include "sim/simgrid/executor.hpp"
#include "tests/collective/machines.hpp"
#include "tests/simgrid/formula_range.hpp"
#include "tests/simgrid/scale.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace ddlsim {
namespace {

const std::vector<Algorithm>& every_algorithm = values_of<Algorithm>();

double full_s(const Machine& machine, double size_bytes, Algorithm algorithm) {
  return executor_of(Engine::full).all_reduces(machine, {size_bytes}, algorithm).times_s.front();
}

double by_classes_s(const Machine& machine, double size_bytes, Algorithm algorithm) {
  return executor_of(Engine::classes).all_reduces(machine, {size_bytes}, algorithm).times_s.front();
}

Machine in_leaves(Machine machine, int nodes_per_leaf, double blocking) {
  machine.nodes_per_leaf = nodes_per_leaf;
  machine.uplink_Bps = nodes_per_leaf * machine.nic_Bps / blocking;
  return machine;
}

Machine with_slow_node(Machine machine) {
  machine.slow_nic_factor = 0.5;
  return machine;
}

/// Every layout the promise names: 1, 4, 8 ranks a node and 3, a switch and blocking fat-trees (2:1 of 2 nodes, and 4:1
/// of 3, whose uplink is narrower than a NIC), short last nodes and leaves.
std::vector<Machine> layouts() {
  std::vector<Machine> machines;
  for (const int ranks_per_node : {1, 3, 4, 8}) {
    for (const int ranks : {2, 3, 4, 7, 8, 12, 16, 17, 24, 32, 33, 48, 64}) {
      if (ranks > most_ranks) continue;
      const Machine machine = two_level(ranks, ranks_per_node);
      machines.push_back(machine);
      machines.push_back(in_leaves(machine, 2, 2));
      machines.push_back(in_leaves(machine, 3, 4));
    }
  }
  return machines;
}

} // namespace

TEST_CASE("one of each class = full wherever ranks are alike", "[full][symmetry]") {
  int alike = 0;
  for (const Machine& machine : layouts()) {
    for (const Algorithm algorithm : every_algorithm) {
      if (why_no_symmetry(machine, all_reduce_by(algorithm))) continue;
      ++alike;
      INFO(to_text(algorithm) << ", " << machine.ranks << " ranks, " << machine.ranks_per_node << " a node, leaves of "
                              << machine.nodes_per_leaf);
      for (const double size_bytes : {1e4, 25e6})
        CHECK(by_classes_s(machine, size_bytes, algorithm) ==
              Approx(full_s(machine, size_bytes, algorithm)).epsilon(promised));
    }
  }
  CHECK(alike > (most_ranks > 8 ? 100 : 30)); // the test looks at something
}

TEST_CASE("a slow node: both rings know it, alone or beside short last nodes and leaves", "[full]") {
  for (const Machine& layout : layouts()) {
    const Machine machine = with_slow_node(layout);
    if (machine.ranks > 33) continue;
    for (const Algorithm algorithm : {Algorithm::ring, Algorithm::hierarchical_ring}) {
      if (!choose_collective(machine, all_reduce_by(algorithm), 25e6, 1, Fidelity::formula).is_exact) continue;
      INFO(to_text(algorithm) << ", " << machine.ranks << " ranks, " << machine.ranks_per_node << " a node, leaves of "
                              << machine.nodes_per_leaf);
      CHECK(all_reduce_s(machine, 25e6, algorithm) == Approx(full_s(machine, 25e6, algorithm)).epsilon(promised));
    }
  }
}

TEST_CASE("where the formula is not exact, full lies in the range that draws found", "[full]") {
  for (const Machine& layout : layouts()) {
    if (layout.ranks % 8 == 1) continue; // enough with the others
    for (const Machine& machine : {layout, with_slow_node(layout)}) {
      for (const Algorithm algorithm :
           {Algorithm::hierarchical_ring, Algorithm::tree, Algorithm::halving_doubling, Algorithm::recursive_doubling,
            Algorithm::nvls, Algorithm::collnet, Algorithm::nvls_sharp, Algorithm::segmented_ring}) {
        for (const double size_bytes : {1e3, 1e5, 4e6, 25e6}) {
          const Choice choice = choose_collective(machine, all_reduce_by(algorithm), size_bytes, 1, Fidelity::formula);
          if (choice.is_exact) continue;
          INFO(to_text(algorithm) << ", " << machine.ranks << " ranks, " << machine.ranks_per_node
                                  << " a node, leaves of " << machine.nodes_per_leaf << ", " << size_bytes
                                  << " B, slow " << machine.slow_nic_factor);
          const double gap = full_s(machine, size_bytes, algorithm) / all_reduce_s(machine, size_bytes, algorithm) - 1;
          const FormulaRange range = formula_range(machine, algorithm, size_bytes);
          CHECK(gap >= range.faster - promised);
          CHECK(gap <= range.slower + promised);
        }
      }
    }
  }
}

TEST_CASE("why there is no symmetry: what one of each class would give anyway", "[full][symmetry]") {
  if (most_ranks < 64) return; // needs 3 nodes of 8
  SECTION("a short last node taken for a full one") {
    const Machine machine = two_level(17, 8);
    CHECK(why_no_symmetry(machine, all_reduce_by(Algorithm::ring))->find("the last node is short") == 0);
    Machine full_nodes = machine;
    full_nodes.ranks = 24;
    CHECK(by_classes_s(full_nodes, 1e4, Algorithm::ring) > 1.2 * full_s(machine, 1e4, Algorithm::ring));
  }
  SECTION("a slow node taken for one like the others") {
    const Machine machine = with_slow_node(two_level(24, 8));
    CHECK(why_no_symmetry(machine, all_reduce_by(Algorithm::ring))->find("a slow node") == 0);
    Machine alike = machine;
    alike.slow_nic_factor = 1;
    CHECK(by_classes_s(alike, 25e6, Algorithm::ring) < 0.6 * full_s(machine, 25e6, Algorithm::ring));
  }
  SECTION("halving-doubling on nodes of 3 as if all ranks left at once") {
    const Machine machine = two_level(24, 3);
    CHECK(why_no_symmetry(machine, all_reduce_by(Algorithm::halving_doubling)).has_value());
    CHECK_THROWS_AS(by_classes_s(machine, 25e6, Algorithm::halving_doubling), NoSymmetry);
  }
  SECTION("a double tree: three nodes as if each moved twice the message") {
    const Machine machine = two_level(3, 1);
    CHECK(why_no_symmetry(machine, all_reduce_by(Algorithm::tree)).has_value());
    CHECK(all_reduce_s(machine, 25e6, Algorithm::tree) > 1.3 * full_s(machine, 25e6, Algorithm::tree));
  }
}

TEST_CASE("one of each class first, full where affordable, else a formula that says why") {
  const Machine star = two_level(64, 8);
  const Machine large = two_level(65536, 8);
  const auto choose = [](const Machine& machine, Algorithm algorithm, Fidelity requested, double messages_before = 0) {
    return choose_collective(machine, all_reduce_by(algorithm), 1e8, 5, requested, messages_before);
  };
  CHECK(choose(star, Algorithm::ring, Fidelity::by_default).engine == Engine::classes);
  CHECK(choose(star, Algorithm::ring, Fidelity::by_default).is_exact);
  CHECK(choose(star, Algorithm::ring, Fidelity::by_default).why.empty());
  CHECK(choose(star, Algorithm::ring, Fidelity::formula).engine == Engine::formula);
  CHECK(choose(star, Algorithm::ring, Fidelity::formula).is_exact);
  CHECK(choose(star, Algorithm::tree, Fidelity::formula).engine == Engine::formula);
  CHECK_FALSE(choose(star, Algorithm::tree, Fidelity::formula).is_exact);
  CHECK(choose(star, Algorithm::tree, Fidelity::by_default).engine == Engine::full);
  const auto heights =
      choose(star, Algorithm::tree, Fidelity::by_default, 1e5); // those before share what is affordable
  CHECK(heights.engine == Engine::classes);
  CHECK_FALSE(heights.is_exact);
  CHECK(choose(large, Algorithm::tree, Fidelity::by_default).engine == Engine::classes);
  const auto tree = choose(with_slow_node(large), Algorithm::tree, Fidelity::by_default);
  CHECK(tree.engine == Engine::formula);
  CHECK_FALSE(tree.is_exact);
  CHECK_THAT(tree.why, Catch::Contains("too many to run each, and a slow node"));
  CHECK(choose(two_level(17, 8), Algorithm::ring, Fidelity::by_default).engine == Engine::full); // a short last node
  // Few messages, but more actors than Linux has areas of memory for.
  CHECK(choose_collective(with_slow_node(large), all_reduce_by(Algorithm::tree), 8, 1, Fidelity::by_default).engine ==
        Engine::formula);
  CHECK_THROWS_AS(choose(large, Algorithm::ring, Fidelity::full), TooManyMessages);
  CHECK(executor_of(Engine::classes).all_reduces(large, {1e8}, Algorithm::ring).times_s.front() ==
        Approx(all_reduce_s(large, 1e8, Algorithm::ring)).epsilon(promised));
}

TEST_CASE("ranks that are not alike are not run by classes") {
  CHECK_THROWS_AS(by_classes_s(with_slow_node(two_level(64, 8)), 1e8, Algorithm::tree), NoSymmetry);
  CHECK_THROWS_WITH(by_classes_s(two_level(17, 8), 1e8, Algorithm::ring),
                    Catch::Contains("the last node is short, so every rank is another distance from it"));
}

TEST_CASE("every engine has a name") {
  CHECK(to_text(Engine::formula) == "formula");
  CHECK(to_text(Engine::classes) == "classes");
  CHECK(to_text(Engine::full) == "full");
}

TEST_CASE("paths inside a node are SimGrid's unless formulas are asked for") {
  CHECK(choose_paths(Fidelity::by_default).engine == Engine::classes);
  CHECK(choose_paths(Fidelity::full).engine == Engine::full);
  CHECK(choose_paths(Fidelity::formula).engine == Engine::formula);
}

TEST_CASE("asynchronous servers: on SimGrid at any scale, and a formula for samples") {
  ServerMachine servers;
  AsyncExchange async;
  async.compute_s = 1;
  for (int shard = 0; shard < 100; ++shard) {
    async.exchange.shards.push_back({shard, 0, 1e6});
    async.exchange.ready_s.push_back(1);
  }
  const auto choose = [&](int nodes, Fidelity requested) {
    return choose_async_servers(two_level(nodes, 1), servers, async, requested);
  };
  CHECK(choose(8, Fidelity::by_default).engine == Engine::classes); // one push an iteration
  CHECK(choose(8, Fidelity::by_default).why.empty());
  CHECK(choose(8, Fidelity::formula).engine == Engine::formula);
  CHECK_FALSE(choose(8, Fidelity::formula).is_exact);
  CHECK(choose(8, Fidelity::full).engine == Engine::full);
  CHECK(choose(8, Fidelity::full).is_exact);
  CHECK_THROWS_AS(choose(100000, Fidelity::full), TooManyMessages);
  CHECK(choose(1000, Fidelity::by_default).engine == Engine::classes); // some workers, each for several
  CHECK(choose(1000, Fidelity::by_default).why.empty());
  for (int shard = 0; shard < 100; ++shard) async.exchange.ready_s[at(shard)] = 0.5 + 0.005 * shard; // a push each
  CHECK(choose(8, Fidelity::by_default).engine == Engine::classes);
  CHECK_FALSE(choose(8, Fidelity::by_default).is_exact); // pushes go together
}

TEST_CASE("by classes rings take 2(n-1)(latency + S/(n rate)) for every N up to 4096", "[symmetry]") {
  for (int ranks = 1; ranks <= 4096; ranks += ranks < 70 ? 1 : 61) {
    const Machine machine = two_level(ranks, 1);
    const double step_s = machine.net_latency_s + 1e8 / ranks / machine.nic_Bps;
    for (const Algorithm algorithm : {Algorithm::ring, Algorithm::hierarchical_ring})
      CHECK(by_classes_s(machine, 1e8, algorithm) == Approx(2 * (ranks - 1) * step_s).epsilon(promised));
  }
}

} // namespace ddlsim
