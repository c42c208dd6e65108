#include "sim/collective/tree.hpp"
#include "sim/network/machine.hpp"
#include "sim/simgrid/engine_choice.hpp"
#include "sim/simgrid/executor.hpp"
#include "tests/collective/machines.hpp"
#include "tests/golden/message_trace.hpp"
#include "tests/simgrid/formula_range.hpp"
#include "tests/simgrid/scale.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
namespace {

double tree_s(Engine engine, const Machine& machine, double size_bytes) {
  return executor_of(engine).all_reduces(machine, {size_bytes}, Algorithm::tree).times_s.front();
}

double full_over_classes(const Machine& machine, double size_bytes) {
  return tree_s(Engine::full, machine, size_bytes) / tree_s(Engine::classes, machine, size_bytes) - 1;
}

Machine in_wide_leaves(Machine machine, std::mt19937_64& random) {
  machine.nodes_per_leaf = 2 + static_cast<int>(random() % 30);
  machine.uplink_Bps = machine.nodes_per_leaf * machine.nic_Bps / uniform(random, 1, 4);
  return machine;
}

} // namespace

TEST_CASE("four nodes have two heights: one of each is the whole double tree", "[tree][full][symmetry]") {
  if (most_ranks < 32) return;
  for (const int ranks_per_node : {1, 4, 8})
    for (const double size_bytes : {1e3, 1e5, 4e6, 25e6}) {
      INFO(ranks_per_node << " a node, " << size_bytes << " B");
      CHECK(full_over_classes(two_level(4 * ranks_per_node, ranks_per_node), size_bytes) == Approx(0).margin(promised));
    }
}

TEST_CASE("one node of each height: full lies in the range that draws found", "[tree][full][symmetry]") {
  if (most_ranks < 64) return; // hundreds of ranks
  std::mt19937_64 random(11);
  constexpr double affordable = 3e4; // messages: a tenth of a second
  int looked_at = 0;
  for (int round = 0; round < 400; ++round) {
    Machine machine = random_machine(random, 300);
    machine.nodes_per_leaf = 0;
    if (round % 2 == 1) machine = in_wide_leaves(machine, random);
    const double size_bytes = log_uniform(random, 64, 1e8);
    if (why_no_tree_classes(machine)) continue;
    if (messages_of_collective(machine, all_reduce_by(Algorithm::tree), size_bytes, 1) > affordable) continue;
    ++looked_at;
    INFO("round " << round << ": " << machine.ranks << " ranks, " << machine.ranks_per_node << " a node, leaves of "
                  << machine.nodes_per_leaf << ", " << size_bytes << " B");
    const FormulaRange range = range_of_tree_classes(size_bytes);
    const double gap = full_over_classes(machine, size_bytes);
    CHECK(gap >= range.faster);
    CHECK(gap <= range.slower);
  }
  CHECK(looked_at > 100);
}

TEST_CASE("one node of each height: large messages are within three per cent", "[tree][full][symmetry]") {
  if (most_ranks < 64) return; // hundreds of ranks
  for (const int nodes : {33, 64, 96, 128}) {
    const Machine machine = two_level(4 * nodes, 4);
    const FormulaRange range = range_of_tree_classes(25e6);
    const double gap = full_over_classes(machine, 25e6);
    INFO(nodes << " nodes");
    CHECK(gap >= range.faster);
    CHECK(gap <= range.slower);
    CHECK(range.slower - range.faster <= 0.05);
  }
}

TEST_CASE("one node of each height: messages grow with the heights, not with the ranks", "[tree][symmetry]") {
  const auto messages = [](int nodes) {
    return executor_of(Engine::classes).all_reduces(two_level(nodes, 1), {1e6}, Algorithm::tree).messages;
  };
  const double few = messages(16);
  CHECK(few > 0);
  CHECK(messages(16384) < 8 * few);
  if (most_ranks < 64) return; // a million messages
  CHECK(messages(16) < messages_of_collective(two_level(16, 1), all_reduce_by(Algorithm::tree), 1e6, 1));
}

TEST_CASE("one node of each height: thousands of chunks cost no more messages than a hundred", "[tree][symmetry]") {
  const Machine machine = two_level(64, 4);
  const auto run = [&](double size_bytes) {
    return executor_of(Engine::classes).all_reduces(machine, {size_bytes}, Algorithm::tree);
  };
  const auto one = run(1e9);
  const auto four = run(4e9);
  CHECK(four.messages == one.messages);
  CHECK(run(2e9).times_s.front() == Approx(one.times_s.front() + (four.times_s.front() - one.times_s.front()) / 3));
  CHECK(four.times_s.front() == Approx(all_reduce_s(machine, 4e9, Algorithm::tree)).epsilon(0.03));
  const auto both = executor_of(Engine::classes).all_reduces(machine, {1e9, 1e6, 4e9}, Algorithm::tree).times_s;
  CHECK(both[0] == Approx(one.times_s.front()).epsilon(promised));
  CHECK(both[1] == Approx(run(1e6).times_s.front()).epsilon(promised));
  CHECK(both[2] == Approx(four.times_s.front()).epsilon(promised));
}

TEST_CASE("one node of each height: capacities of SimGrid's links decide", "[tree][symmetry]") {
  const Machine machine = two_level(64, 1);
  const double before_s = tree_s(Engine::classes, machine, 1e6);
  {
    const NarrowedLinks narrowed("nic-out", 0.5);
    CHECK(tree_s(Engine::classes, machine, 1e6) > 1.3 * before_s);
  }
  CHECK(tree_s(Engine::classes, machine, 1e6) == before_s);
}

TEST_CASE("heights of a double tree are refused where nodes of one height differ", "[tree]") {
  const Machine machine = two_level(64, 4);
  CHECK_FALSE(why_no_tree_classes(machine).has_value());
  Machine slow = machine;
  slow.slow_nic_factor = 0.5;
  CHECK(why_no_tree_classes(slow)->find("a slow node") == 0);
  Machine narrow = machine;
  narrow.nodes_per_leaf = 4;
  narrow.uplink_Bps = 0.5 * narrow.nic_Bps;
  CHECK(uplinks_slow_trees(narrow));
  CHECK(why_no_tree_classes(narrow)->find("nodes of one height") == 0);
  CHECK(why_no_tree_classes(two_level(12, 4)).has_value()); // three nodes
  CHECK_THROWS_AS(tree_s(Engine::classes, slow, 1e6), NoSymmetry);
}

} // namespace ddlsim
