#include "sim/simgrid/engine.hpp"
#include "tests/collective/ring_recurrence.hpp"
#include "tests/golden/narrowed_links.hpp"
#include "tests/simgrid/exchanges.hpp"
#include "tests/simgrid/scale.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

namespace ddlsim {
namespace {

double log_uniform(std::mt19937_64& random, double low, double high) {
  return low * std::pow(high / low, static_cast<double>(random() >> 11) * 0x1p-53);
}

/// Full nodes on one switch, whatever their rates and latencies.
Machine random_machine(std::mt19937_64& random) {
  Machine machine;
  machine.ranks_per_node = 1 + static_cast<int>(random() % 8);
  machine.ranks = machine.ranks_per_node * (1 + static_cast<int>(random() % 40));
  machine.intra_Bps = log_uniform(random, 1e9, 1e12);
  machine.nic_Bps = log_uniform(random, 1e8, 1e11);
  machine.intra_latency_s = log_uniform(random, 1e-8, 1e-4);
  machine.net_latency_s = log_uniform(random, 1e-8, 1e-4);
  return machine;
}

SimulatedTimes by_symmetry(const Machine& machine, double size_bytes, Algorithm algorithm) {
  return time_all_reduces(machine, {size_bytes}, algorithm, Fidelity::by_symmetry);
}

} // namespace

TEST_CASE("by symmetry: rings of random machines equal the recurrence, wherever steps become steady", "[symmetry]") {
  std::mt19937_64 random(5);
  for (int round = 0; round < 60; ++round) {
    const Machine machine = random_machine(random);
    if (machine.ranks < 2) continue;
    const double size_bytes = log_uniform(random, 64, 1e9);
    INFO("round " << round << ": " << machine.ranks << " ranks, " << machine.ranks_per_node << " a node");
    CHECK(by_symmetry(machine, size_bytes, Algorithm::ring).times_s.front() ==
          Approx(ring_by_recurrence_s(machine, size_bytes)).epsilon(promised));
  }
}

TEST_CASE("by symmetry: 65,536 ranks take no more messages than 1,024", "[symmetry]") {
  std::mt19937_64 random(7);
  Machine machine = random_machine(random);
  machine.ranks_per_node = 8;
  machine.ranks = 1024;
  const double few = by_symmetry(machine, 1e8, Algorithm::ring).messages;
  machine.ranks = 65536;
  const auto many = by_symmetry(machine, 1e8, Algorithm::ring);
  CHECK(many.messages == few);
  CHECK(many.messages < 2000);
  CHECK(many.times_s.front() == Approx(all_reduce_s(machine, 1e8, Algorithm::ring)).epsilon(promised));
}

TEST_CASE("by symmetry: capacities of SimGrid's links decide, and nothing else", "[symmetry]") {
  Machine machine = ideal_workers(8);
  machine.net_latency_s = 1e-6;
  const auto exchange = on_each_server(2, {1e6, 3e6});
  const auto ring_s = [&] { return by_symmetry(machine, 1e8, Algorithm::ring).times_s.front(); };
  const auto servers_s = [&] {
    return time_server_exchange(machine, server_machine(2, true), exchange, Fidelity::by_symmetry).end_s;
  };
  const auto path_s = [] { return time_paths({{0, 0, 1e6}}, 1e9, Fidelity::by_symmetry).times_s.front(); };
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
