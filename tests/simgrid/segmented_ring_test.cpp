#include "sim/collective/segmented_ring.hpp"
#include "sim/simgrid/engine_choice.hpp"
#include "sim/simgrid/executor.hpp"
#include "tests/collective/machines.hpp"
#include "tests/collective/ring_recurrence.hpp"
#include "tests/simgrid/formula_range.hpp"
#include "tests/simgrid/scale.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
namespace {

constexpr auto segmented = Algorithm::segmented_ring;

double run_s(Engine engine, const Machine& machine, double size_bytes) {
  return executor_of(engine).all_reduces(machine, {size_bytes}, segmented).times_s.front();
}

Machine random_full_machine(std::mt19937_64& random) {
  Machine machine = random_machine(random, most_ranks);
  const int unit = machine.ranks_per_node * std::max(1, machine.nodes_per_leaf);
  machine.ranks = std::max(1, machine.ranks / unit) * unit;
  return machine;
}

} // namespace

TEST_CASE("on equal edges a step hides latency behind the other segment, every engine", "[gloo][full]") {
  for (const int ranks : {2, 3, 8, 37, 64}) {
    if (ranks > most_ranks) continue;
    const Machine machine = two_level(ranks, 1);
    for (const double size_bytes : {1e3, 16e3 * ranks, 1e7, 1e9}) {
      const double messages = segments_of_chunk(machine, size_bytes) * (ranks - 1);
      const double busy_s = size_bytes / ranks / segments_of_chunk(machine, size_bytes) / machine.nic_Bps;
      const double latency_s = machine.net_latency_s;
      const double step_s = std::max(2 * busy_s, latency_s + busy_s); // of two segments
      const bool is_even = static_cast<int>(messages) % 2 == 0;
      const double half_s = is_even ? messages / 2 * step_s + std::min(latency_s, busy_s)
                                    : (messages - 1) / 2 * step_s + latency_s + busy_s;
      INFO(ranks << " ranks, " << size_bytes << " bytes");
      for (const auto engine : {Engine::formula, Engine::classes, Engine::full})
        CHECK(run_s(engine, machine, size_bytes) == Approx(2 * half_s).epsilon(promised));
    }
  }
}

TEST_CASE("full ring in segments equals its recurrence: any ranks, slow nodes, leaves", "[gloo][full][property]") {
  std::mt19937_64 random(23);
  for (int round = 0; round < 60; ++round) {
    Machine machine = random_machine(random, std::min(most_ranks, 24));
    if (round % 3 == 0) machine.slow_nic_factor = 0.4;
    const double size_bytes = log_uniform(random, 1e2, 1e8);
    const double messages = 2.0 * segments_of_chunk(machine, size_bytes) * (machine.ranks - 1);
    const double clock_s = 1e-12 * messages; // SimGrid's precision, for each message that waits for another
    INFO(machine.ranks << " ranks, " << machine.ranks_per_node << " a node, leaves of " << machine.nodes_per_leaf);
    CHECK(run_s(Engine::full, machine, size_bytes) ==
          Approx(segmented_ring_by_recurrence_s(machine, size_bytes)).epsilon(promised).margin(clock_s));
  }
}

TEST_CASE("closed form and one period equal the recurrence on full nodes and leaves", "[gloo][classes][property]") {
  std::mt19937_64 random(29);
  for (int round = 0; round < 300; ++round) {
    const Machine machine = random_full_machine(random);
    if (machine.ranks < 2) continue;
    const double size_bytes = log_uniform(random, 1e2, 1e9);
    const double expected_s = segmented_ring_by_recurrence_s(machine, size_bytes);
    INFO(machine.ranks << " ranks, " << machine.ranks_per_node << " a node, leaves of " << machine.nodes_per_leaf
                       << ", " << size_bytes << " bytes");
    CHECK(segmented_ring_all_reduce_s(machine, size_bytes) == Approx(expected_s).epsilon(promised));
    CHECK(collective_algorithm(all_reduce_by(segmented)).is_exact(machine));
    if (round % 3 > 0 || why_no_symmetry(machine, all_reduce_by(segmented))) continue;
    CHECK(run_s(Engine::classes, machine, size_bytes) == Approx(expected_s).epsilon(promised));
  }
}

TEST_CASE("closed form with short nodes and leaves: exact up to 256 ranks, beyond in the range that draws found",
          "[gloo][property]") {
  std::mt19937_64 random(31);
  double lowest = 0;
  double highest = 0;
  for (int round = 0; round < 200; ++round) {
    Machine machine = random_machine(random, 256);
    double size_bytes = log_uniform(random, 1e2, 1e9);
    CHECK(segmented_ring_all_reduce_s(machine, size_bytes) ==
          Approx(segmented_ring_by_recurrence_s(machine, size_bytes)).epsilon(promised));
    if (round % 4 > 0) continue;
    machine.ranks += 256;
    machine.ranks_per_node = 1 + static_cast<int>(random() % 128);
    size_bytes = log_uniform(random, 1e2, 1e8);
    const double off =
        segmented_ring_by_recurrence_s(machine, size_bytes) / segmented_ring_all_reduce_s(machine, size_bytes) - 1;
    lowest = std::min(lowest, off);
    highest = std::max(highest, off);
  }
  const FormulaRange range = range_on_switch(two_level(257, 2), segmented, 1e6);
  CHECK(lowest >= range.faster);
  CHECK(highest <= range.slower);
}

TEST_CASE("one period stands for 65,536 ranks in a few thousand messages", "[gloo][classes]") {
  const Machine machine = two_level(65536, 4);
  const auto run = executor_of(Engine::classes).all_reduces(machine, {25e6}, segmented);
  CHECK(run.times_s.front() == Approx(all_reduce_s(machine, 25e6, segmented)).epsilon(promised));
  CHECK(run.messages < 1e4);
  CHECK(choose_collective(machine, all_reduce_by(segmented), 25e6, 1, Fidelity::by_default).engine == Engine::classes);
}

TEST_CASE("a link's rate and latency reach a ring in segments that is run on SimGrid", "[gloo][classes]") {
  const Machine machine = two_level(32, 4);
  Machine narrower = machine;
  narrower.nic_Bps /= 2;
  CHECK(run_s(Engine::classes, narrower, 1e9) == Approx(2 * run_s(Engine::classes, machine, 1e9)).epsilon(0.01));
  Machine later = machine;
  later.net_latency_s *= 2;
  CHECK(run_s(Engine::classes, later, 1e3) > 1.4 * run_s(Engine::classes, machine, 1e3));
}

} // namespace ddlsim
