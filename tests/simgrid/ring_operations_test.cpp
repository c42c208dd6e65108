#include "sim/simgrid/executor.hpp"
#include "tests/collective/machines.hpp"
#include "tests/simgrid/scale.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
namespace {

const std::vector<double> sizes_of_halves_bytes = {1e5 + 1, 25e6, 1e9};

constexpr CollectiveKind reduce_scatter{CollectiveOperation::reduce_scatter, Algorithm::ring};
constexpr CollectiveKind all_gather{CollectiveOperation::all_gather, Algorithm::ring};

std::vector<double> times_s(Engine engine, const Machine& machine, const CollectiveKind& collective) {
  return executor_of(engine).collectives(machine, sizes_of_halves_bytes, collective).times_s;
}

void check_equal(const std::vector<double>& found_s, const std::vector<double>& expected_s) {
  REQUIRE(found_s.size() == expected_s.size());
  for (std::size_t i = 0; i < found_s.size(); ++i) CHECK(found_s[i] == Approx(expected_s[i]).epsilon(promised));
}

} // namespace

TEST_CASE("full reduce-scatters and all-gathers equal the closed form: short last nodes and fat-trees too", "[full]") {
  for (const auto& half : {reduce_scatter, all_gather})
    for (const int ranks_per_node : {1, 3, 8})
      for (int ranks = 2; ranks <= most_ranks; ranks += ranks < 10 ? 1 : 13)
        for (const int nodes_per_leaf : {0, 2}) {
          Machine machine = two_level(ranks, ranks_per_node);
          machine.nodes_per_leaf = nodes_per_leaf;
          machine.uplink_Bps = nodes_per_leaf * machine.nic_Bps / 3;
          INFO(ranks << " ranks, " << ranks_per_node << " a node, leaves of " << nodes_per_leaf);
          check_equal(times_s(Engine::full, machine, half), times_s(Engine::formula, machine, half));
        }
}

TEST_CASE("by one period they equal full, in as many messages at 4,096 ranks as a period takes", "[classes]") {
  for (const auto& half : {reduce_scatter, all_gather}) {
    for (const int nodes : {1, 2, 5, 8}) {
      const Machine machine = two_level(nodes * 8, 8);
      if (machine.ranks > most_ranks) continue;
      check_equal(times_s(Engine::classes, machine, half), times_s(Engine::full, machine, half));
    }
    const Machine large = two_level(4096, 8);
    const auto simulated = executor_of(Engine::classes).collectives(large, sizes_of_halves_bytes, half);
    check_equal(simulated.times_s, times_s(Engine::formula, large, half));
    CHECK(simulated.messages > 0);
    CHECK(simulated.messages < 1e5); // each would be 17 million
  }
}

TEST_CASE("a link's rate reaches an all-gather that is run on SimGrid", "[classes]") {
  const Machine machine = two_level(32, 8);
  Machine narrower = machine;
  narrower.nic_Bps /= 2;
  const auto before = times_s(Engine::classes, machine, all_gather);
  const auto after = times_s(Engine::classes, narrower, all_gather);
  CHECK(after.back() == Approx(2 * before.back()).epsilon(0.01)); // but for the latency
}

} // namespace ddlsim
