#include "sim/simgrid/executor.hpp"
#include "tests/collective/machines.hpp"
#include "tests/collective/ring_recurrence.hpp"
#include "tests/golden/message_trace.hpp"
#include "tests/simgrid/exchanges.hpp"
#include "tests/simgrid/scale.hpp"

#include <catch2/catch.hpp>

#include <random>

namespace ddlsim {
namespace {

SimulatedTimes by_classes(const Machine& machine, double size_bytes, Algorithm algorithm) {
  return executor_of(Engine::classes).all_reduces(machine, {size_bytes}, algorithm);
}

} // namespace

TEST_CASE("by classes: rings of random machines equal the recurrence, wherever steps become steady", "[classes]") {
  std::mt19937_64 random(5);
  int alike = 0;
  for (int round = 0; round < 200; ++round) {
    const Machine machine = random_machine(random, 300);
    if (why_no_symmetry(machine, all_reduce_by(Algorithm::ring))) continue;
    ++alike;
    const double size_bytes = log_uniform(random, 64, 1e9);
    INFO("round " << round << ": " << machine.ranks << " ranks, " << machine.ranks_per_node << " a node");
    CHECK(by_classes(machine, size_bytes, Algorithm::ring).times_s.front() ==
          Approx(ring_by_recurrence_s(machine, size_bytes)).epsilon(promised));
  }
  CHECK(alike > 40);
}

TEST_CASE("by classes: 65,536 ranks take no more messages than 1,024", "[classes]") {
  Machine machine = two_level(1024, 8);
  const double few = by_classes(machine, 1e8, Algorithm::ring).messages;
  machine.ranks = 65536;
  const auto many = by_classes(machine, 1e8, Algorithm::ring);
  CHECK(many.messages == few);
  CHECK(many.messages < 2000);
  CHECK(many.times_s.front() == Approx(all_reduce_s(machine, 1e8, Algorithm::ring)).epsilon(promised));
}

TEST_CASE("by classes: capacities of SimGrid's links decide, and nothing else", "[classes]") {
  Machine machine = ideal_workers(8);
  machine.net_latency_s = 1e-6;
  const auto exchange = on_each_server(2, {1e6, 3e6});
  const auto ring_s = [&] { return by_classes(machine, 1e8, Algorithm::ring).times_s.front(); };
  const auto servers_s = [&] {
    return executor_of(Engine::classes).server_exchange(machine, server_machine(2, true), exchange).end_s;
  };
  const auto path_s = [] { return executor_of(Engine::classes).paths({{0, 0, 1e6}}, 1e9).times_s.front(); };
  const double ring_before_s = ring_s();
  const double servers_before_s = servers_s();
  const double path_before_s = path_s();
  {
    const NarrowedLinks narrowed("nic-in", 0.5);
    CHECK(ring_s() > 1.9 * ring_before_s);
    CHECK(servers_s() > 1.5 * servers_before_s); // pushes; pulls leave by the other direction
    CHECK(path_s() == path_before_s);            // no NIC
  }
  {
    const NarrowedLinks narrowed("path", 0.5);
    CHECK(path_s() == Approx(2 * path_before_s));
  }
  CHECK(ring_s() == ring_before_s);
  CHECK(servers_s() == servers_before_s);
}

} // namespace ddlsim
