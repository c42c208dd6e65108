#include "sim/simgrid/executor.hpp"
#include "tests/base/bytes_printed.hpp"
#include "tests/collective/machines.hpp"
#include "tests/collective/ring_recurrence.hpp"
#include "tests/simgrid/scale.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <stdexcept>

using ddlsim::Engine;
using ddlsim::log_uniform;
using ddlsim::Machine;
using ddlsim::promised;
using ddlsim::two_level;
using ddlsim::uniform;

namespace {

double full_s(const Machine& machine, double size_bytes) {
  return executor_of(Engine::full).all_reduces(machine, {size_bytes}, ddlsim::Algorithm::ring).times_s.front();
}

} // namespace

TEST_CASE("a full run prints nothing") {
  CHECK(ddlsim_test::bytes_printed([] { full_s(two_level(4, 1), 1e6); }) == 0);
}

TEST_CASE("full ring on equal links is 2(n-1) (latency + S/(n rate)), every n") {
  for (int ranks = 1; ranks <= ddlsim::most_ranks; ++ranks) {
    const Machine machine = two_level(ranks, 1);
    const double size_bytes = 25e6 + 1; // not a multiple of n
    const double exact_s = 2 * (ranks - 1) * (machine.net_latency_s + size_bytes / (ranks * machine.nic_Bps));
    INFO(ranks << " ranks");
    CHECK(full_s(machine, size_bytes) == Approx(exact_s).epsilon(promised));
  }
}

TEST_CASE("full ring inside one node uses the node's own links") {
  const Machine machine = two_level(8, 8);
  CHECK(full_s(machine, 8e6) == Approx(14 * (machine.intra_latency_s + 1e6 / machine.intra_Bps)).epsilon(promised));
}

TEST_CASE("full two-level rings equal the recurrence, short last nodes too") {
  for (const int ranks_per_node : {4, 8}) {
    for (const int ranks : {5, 8, 13, 16, 21, 32, 44, 64}) {
      if (ranks > ddlsim::most_ranks * 2) continue;
      for (const double size_bytes : {64.0, 2e5, 1e8}) {
        const Machine machine = two_level(ranks, ranks_per_node);
        INFO(ranks << " ranks, " << ranks_per_node << " a node, " << size_bytes << " bytes");
        CHECK(full_s(machine, size_bytes) ==
              Approx(ddlsim::ring_by_recurrence_s(machine, size_bytes)).epsilon(promised));
      }
    }
  }
}

TEST_CASE("full ring equals the recurrence on random machines, slow nodes' links and fat-trees") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 40; ++round) {
    Machine machine = two_level(2 + static_cast<int>(random() % 14), 1 + static_cast<int>(random() % 5));
    machine.intra_Bps = log_uniform(random, 1e9, 1e12);
    machine.nic_Bps = log_uniform(random, 1e8, 1e11);
    machine.intra_latency_s = log_uniform(random, 1e-8, 1e-4);
    machine.net_latency_s = log_uniform(random, 1e-8, 1e-4);
    machine.nodes_per_leaf = static_cast<int>(random() % 3);
    machine.uplink_Bps = machine.nic_Bps * uniform(random, 0.3, 2);
    const double size_bytes = log_uniform(random, 100, 1e9);
    INFO("round " << round);
    CHECK(full_s(machine, size_bytes) == Approx(ddlsim::ring_by_recurrence_s(machine, size_bytes)).epsilon(promised));
  }
}

TEST_CASE("a tiny message on 2 nodes x 8 ranks crosses the network 4 times, not 2") {
  Machine machine = two_level(16, 8);
  machine.intra_latency_s = 0;
  const int crossings = static_cast<int>(std::ceil(2 * (16 - 1) * 2 / 16.0));
  REQUIRE(crossings == 4);
  const double bandwidth_share_s = 30 * (1e-3 / 16) / machine.nic_Bps; // below 1e-12 s
  CHECK(full_s(machine, 1e-3) == Approx(crossings * machine.net_latency_s + bandwidth_share_s).epsilon(promised));
}

TEST_CASE("several rings in one child are each what they are alone") {
  const Machine machine = two_level(6, 4);
  const std::vector<double> sizes_bytes = {1e8, 1e3, 2.5e7, 1e8};
  const std::vector<double> together_s =
      executor_of(Engine::full).all_reduces(machine, sizes_bytes, ddlsim::Algorithm::ring).times_s;
  REQUIRE(together_s.size() == sizes_bytes.size());
  for (std::size_t i = 0; i < sizes_bytes.size(); ++i) {
    CHECK(together_s[i] == Approx(full_s(machine, sizes_bytes[i])).epsilon(1e-9));
  }
}

TEST_CASE("full ring: more bandwidth is never slower, more latency never faster") {
  std::mt19937_64 random(5);
  for (int round = 0; round < 10; ++round) {
    const Machine machine = two_level(2 + static_cast<int>(random() % 9), 1 + static_cast<int>(random() % 4));
    const double size_bytes = log_uniform(random, 1e3, 1e8);
    const double base_s = full_s(machine, size_bytes);
    Machine wider = machine;
    wider.nic_Bps *= 2;
    Machine later = machine;
    later.net_latency_s *= 2;
    CHECK(full_s(wider, size_bytes) <= base_s * (1 + promised));
    CHECK(full_s(later, size_bytes) >= base_s * (1 - promised));
  }
}

TEST_CASE("same machine, same bits") {
  CHECK(full_s(two_level(9, 4), 3e7) == full_s(two_level(9, 4), 3e7));
}

TEST_CASE("a link without a rate is refused") {
  Machine machine = two_level(4, 1);
  machine.nic_Bps = 0;
  CHECK_THROWS_AS(full_s(machine, 1e6), std::runtime_error);
  CHECK_THROWS_AS(executor_of(Engine::formula).all_reduces(machine, {1e6}, ddlsim::Algorithm::ring),
                  std::invalid_argument);
}
