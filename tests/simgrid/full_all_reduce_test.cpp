#include "sim/simgrid/executor.hpp"
#include "tests/collective/machines.hpp"
#include "tests/simgrid/formula_range.hpp"
#include "tests/simgrid/scale.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <stdexcept>

namespace ddlsim {
namespace {

const std::vector<double> sizes_bytes = {1e5 + 1, 25e6};

/// closed form / full - 1 of the sizes above, the one further from 0.
double gap(const Machine& machine, Algorithm algorithm) {
  const auto full_s = executor_of(Engine::full).all_reduces(machine, sizes_bytes, algorithm).times_s;
  const auto closed_s = executor_of(Engine::formula).all_reduces(machine, sizes_bytes, algorithm).times_s;
  double furthest = 0;
  for (std::size_t i = 0; i < full_s.size(); ++i) {
    const double off = closed_s.at(i) / full_s[i] - 1;
    if (std::abs(off) > std::abs(furthest)) furthest = off;
  }
  return furthest;
}

Machine in_leaves(Machine machine, int nodes_per_leaf) {
  machine.nodes_per_leaf = nodes_per_leaf;
  machine.uplink_Bps = nodes_per_leaf * machine.nic_Bps / 1.5;
  return machine;
}

} // namespace

TEST_CASE("full hierarchical ring equals the closed form: any ranks, short last nodes, fat-trees", "[full]") {
  for (const int ranks_per_node : {1, 3, 4, 8}) {
    for (int ranks = 2; ranks <= most_ranks; ranks += ranks < 18 ? 1 : 7) {
      const Machine machine = two_level(ranks, ranks_per_node);
      INFO(ranks << " ranks, " << ranks_per_node << " a node");
      CHECK(std::abs(gap(machine, Algorithm::hierarchical_ring)) < promised);
      if (ranks % ranks_per_node == 0)
        CHECK(std::abs(gap(in_leaves(machine, 2), Algorithm::hierarchical_ring)) < promised);
    }
  }
}

TEST_CASE("full halving-doubling and recursive doubling, one GPU a node, equal the closed form for every N", "[full]") {
  for (int ranks = 2; ranks <= most_ranks; ++ranks) {
    INFO(ranks << " ranks");
    CHECK(std::abs(gap(two_level(ranks, 1), Algorithm::recursive_doubling)) < promised);
    CHECK(std::abs(gap(two_level(ranks, 1), Algorithm::halving_doubling)) < promised);
  }
}

TEST_CASE("full halving-doubling and recursive doubling on nodes of 2, 4, 8 ranks equal the closed form", "[full]") {
  for (const int ranks_per_node : {2, 4, 8}) {
    for (int nodes = 1; nodes * ranks_per_node <= most_ranks; ++nodes) {
      INFO(nodes << " nodes of " << ranks_per_node);
      CHECK(std::abs(gap(two_level(nodes * ranks_per_node, ranks_per_node), Algorithm::halving_doubling)) < promised);
      CHECK(std::abs(gap(two_level(nodes * ranks_per_node, ranks_per_node), Algorithm::recursive_doubling)) < promised);
    }
  }
}

TEST_CASE("full halving-doubling elsewhere: pairs run ahead of each other, 6 % too fast to 28 % too slow", "[full]") {
  for (const int ranks_per_node : {3, 4, 6}) {
    for (int ranks = ranks_per_node + 1; ranks <= most_ranks; ranks += 5) {
      for (const int nodes_per_leaf : {0, 3}) {
        Machine machine = two_level(ranks, ranks_per_node);
        if (nodes_per_leaf > 0) machine = in_leaves(machine, nodes_per_leaf);
        INFO(ranks << " ranks, " << ranks_per_node << " a node, leaves of " << nodes_per_leaf);
        const double off = gap(machine, Algorithm::halving_doubling);
        CHECK(off > -0.065);
        CHECK(off < 0.285);
      }
    }
  }
}

TEST_CASE("full double tree: two nodes without latency take S/B", "[full]") {
  Machine machine = two_level(2, 1);
  machine.net_latency_s = 0;
  const auto full_s = executor_of(Engine::full).all_reduces(machine, {25e6}, Algorithm::tree).times_s;
  CHECK(full_s.front() == Approx(25e6 / machine.nic_Bps).epsilon(promised));
}

TEST_CASE("full double tree: a tiny message goes up and down once", "[full]") {
  for (const int ranks_per_node : {1, 4}) {
    for (const int ranks : {2, 3, 5, 8, 13, 16, 40, 64}) {
      if (ranks > most_ranks) continue;
      const Machine machine = two_level(ranks, ranks_per_node);
      const double chain = std::min(ranks, ranks_per_node) - 1;
      const double levels = std::ceil(std::log2(machine.nodes()));
      const auto full_s = executor_of(Engine::full).all_reduces(machine, {1e-3}, Algorithm::tree).times_s;
      const double latency_s = 2 * (chain * machine.intra_latency_s + levels * machine.net_latency_s);
      // In a short last node the chain is shorter, and the deepest nodes may be others.
      if (ranks % ranks_per_node == 0 || ranks < ranks_per_node)
        CHECK(full_s.front() == Approx(latency_s).epsilon(promised));
      else
        CHECK(full_s.front() <= latency_s * (1 + promised));
    }
  }
}

TEST_CASE("full double tree: 25 MB are at most 6 % faster than the closed form, a third at three nodes", "[full]") {
  for (const int ranks_per_node : {1, 2, 4, 8}) {
    for (int nodes = 2; nodes * ranks_per_node <= most_ranks; nodes += nodes < 9 ? 1 : 5) {
      const Machine machine = two_level(nodes * ranks_per_node, ranks_per_node);
      const double full_s = executor_of(Engine::full).all_reduces(machine, {25e6}, Algorithm::tree).times_s.front();
      const double closed_s = all_reduce_s(machine, 25e6, Algorithm::tree);
      INFO(nodes << " nodes of " << ranks_per_node);
      CHECK(closed_s / full_s - 1 > -0.001);
      CHECK(closed_s / full_s - 1 < (nodes == 3 ? 0.36 : 0.06));
    }
  }
}

TEST_CASE("full NVLS on one node, and one rank of it, equals the closed form", "[full][nvls]") {
  for (const int ranks : {2, 3, 8, 64}) {
    if (ranks > most_ranks) continue;
    const Machine machine = two_level(ranks, ranks);
    CHECK(std::abs(gap(machine, Algorithm::nvls)) < promised);
    const auto by_classes_s = executor_of(Engine::classes).all_reduces(machine, {25e6}, Algorithm::nvls).times_s;
    CHECK(by_classes_s.front() == Approx(all_reduce_s(machine, 25e6, Algorithm::nvls)).epsilon(promised));
  }
}

TEST_CASE("full NVLS across nodes: a tiny message goes up and down once, a large one as the narrowest link lets it",
          "[full][nvls]") {
  for (const int nodes : {2, 4, 8}) {
    if (8 * nodes > most_ranks) continue;
    const Machine machine = two_level(8 * nodes, 8);
    const double levels = std::log2(nodes);
    const auto full_s = executor_of(Engine::full).all_reduces(machine, {1e-3, 1e9}, Algorithm::nvls).times_s;
    CHECK(full_s.at(0) == Approx(2 * (machine.intra_latency_s + levels * machine.net_latency_s)).epsilon(promised));
    CHECK(full_s.at(1) == Approx(1e9 * (nodes == 2 ? 1 : 2) / machine.nic_Bps).epsilon(0.05)); // the first chunks' way
  }
}

TEST_CASE("full sums in the switches between nodes, one GPU a node, equal the closed form", "[full][collnet]") {
  for (const int nodes : {2, 3, 8, 64}) {
    if (nodes > most_ranks) continue;
    Machine machine = two_level(nodes, 1);
    CHECK(std::abs(gap(machine, Algorithm::collnet)) < promised);
    CHECK(std::abs(gap(machine, Algorithm::nvls_sharp)) < promised);
    machine.nodes_per_leaf = 2;
    machine.uplink_Bps = machine.nic_Bps / 3;
    CHECK(std::abs(gap(machine, Algorithm::collnet)) < promised);
  }
}

TEST_CASE("full sums in both switches: a tiny message takes the latencies, a large one the narrowest link",
          "[full][collnet][nvls]") {
  for (const int nodes : {2, 3, 8}) {
    if (8 * nodes > most_ranks) continue;
    const Machine machine = two_level(8 * nodes, 8);
    const auto full_s = executor_of(Engine::full).all_reduces(machine, {1e-3, 1e9}, Algorithm::nvls_sharp).times_s;
    CHECK(full_s.at(0) == Approx(2 * machine.intra_latency_s + machine.net_latency_s).epsilon(promised));
    CHECK(full_s.at(1) == Approx(1e9 / machine.nic_Bps).epsilon(0.01));
  }
}

TEST_CASE("full sums in both switches stay in the range that draws found", "[full][collnet][nvls][property]") {
  std::mt19937_64 random(41);
  double lowest = 0;
  double highest = 0;
  for (int round = 0; round < 40; ++round) {
    const Machine machine = random_machine(random, most_ranks);
    const double size_bytes = log_uniform(random, 1e3, 1e8);
    const double full_s =
        executor_of(Engine::full).all_reduces(machine, {size_bytes}, Algorithm::nvls_sharp).times_s.front();
    const double off = full_s / all_reduce_s(machine, size_bytes, Algorithm::nvls_sharp) - 1;
    lowest = std::min(lowest, off);
    highest = std::max(highest, off);
  }
  const FormulaRange range = range_on_switch(two_level(16, 8), Algorithm::nvls_sharp, 1e6);
  CHECK(lowest >= range.faster);
  CHECK(highest <= range.slower);
}

TEST_CASE("any collective: several sizes in one child are each what they are alone, and the same bits again",
          "[full]") {
  const Machine machine = two_level(7, 2);
  for (const auto& collective : every_collective()) {
    const auto together_s = executor_of(Engine::full).collectives(machine, {1e7, 1e3, 1e7}, collective).times_s;
    const auto alone_s = executor_of(Engine::full).collectives(machine, {1e7}, collective).times_s;
    INFO(to_text(collective));
    REQUIRE(together_s.size() == 3);
    CHECK(together_s[0] == alone_s[0]);
    CHECK(together_s[2] == Approx(alone_s[0]).epsilon(1e-9));
    CHECK(together_s[1] < together_s[0]);
  }
}

TEST_CASE("full, any algorithm: more bandwidth is never slower, more latency never faster", "[full][property]") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 12; ++round) {
    // Full nodes: with ranks of a node out of step, sharing can reward a later start (as Graham's anomalies do).
    const int ranks_per_node = 1 << random() % 3;
    const Machine machine = two_level(ranks_per_node * (2 + static_cast<int>(random() % 7)), ranks_per_node);
    const double size_bytes = log_uniform(random, 1e3, 1e8);
    Machine wider = machine;
    wider.nic_Bps *= 2;
    Machine later = machine;
    later.net_latency_s *= 2;
    for (const Algorithm algorithm :
         {Algorithm::hierarchical_ring, Algorithm::tree, Algorithm::halving_doubling, Algorithm::recursive_doubling}) {
      INFO(to_text(algorithm) << " on " << machine.ranks << " ranks, " << ranks_per_node << " a node");
      const auto full_s = [&](const Machine& on) {
        return executor_of(Engine::full).all_reduces(on, {size_bytes}, algorithm).times_s.front();
      };
      const double base_s = full_s(machine);
      CHECK(full_s(wider) <= base_s * (1 + promised));
      CHECK(full_s(later) >= base_s * (1 - promised));
    }
  }
}

TEST_CASE("any algorithm refuses a link without a rate in a full run too", "[full]") {
  Machine machine = two_level(4, 1);
  machine.nic_Bps = 0;
  for (const Algorithm algorithm :
       {Algorithm::hierarchical_ring, Algorithm::tree, Algorithm::halving_doubling, Algorithm::recursive_doubling}) {
    CHECK_THROWS_AS(executor_of(Engine::full).all_reduces(machine, {1e6}, algorithm), std::runtime_error);
  }
}

} // namespace ddlsim
