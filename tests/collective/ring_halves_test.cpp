#include "sim/collective/all_reduce.hpp"
#include "sim/collective/ring.hpp"
#include "tests/collective/machines.hpp"

#include <catch2/catch.hpp>

#include <numeric>

namespace ddlsim {
namespace {

constexpr Algorithm halves[] = {Algorithm::ring_reduce_scatter, Algorithm::ring_all_gather};

} // namespace

TEST_CASE("half of a ring takes n-1 steps: (n-1) (latency + S/(n rate)) on equal links", "[ring-half]") {
  for (const Algorithm half : halves)
    for (int ranks = 1; ranks <= 130; ++ranks) {
      const Machine machine = two_level(ranks, 1);
      const double exact_s = (ranks - 1) * (machine.net_latency_s + 25e6 / (ranks * machine.nic_Bps));
      INFO(ranks << " ranks");
      CHECK(all_reduce_s(machine, 25e6, half) == Approx(exact_s).epsilon(rounding));
      CHECK(2 * all_reduce_s(machine, 25e6, half) == Approx(ring_all_reduce_s(machine, 25e6)).epsilon(rounding));
    }
}

TEST_CASE("on any machine two halves are no faster than the ring, and one moves (n-1)/n of the bytes", "[ring-half]") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    const Machine machine = random_machine(random, 130);
    const double size_bytes = log_uniform(random, 1, 1e9);
    const double half_s = all_reduce_s(machine, size_bytes, Algorithm::ring_all_gather);
    INFO("round " << round);
    CHECK(2 * half_s >= ring_all_reduce_s(machine, size_bytes) * (1 - rounding));
    CHECK(half_s == all_reduce_s(machine, size_bytes, Algorithm::ring_reduce_scatter));
    const double slowest_Bps = machine.nodes() > 1 ? machine.nic_Bps : machine.intra_Bps;
    CHECK(half_s >= (machine.ranks - 1.0) / machine.ranks * size_bytes / slowest_Bps * (1 - rounding));
  }
}

TEST_CASE("half of a ring sends half of its messages", "[ring-half]") {
  const auto& ring = all_reduce_algorithm(Algorithm::ring);
  for (const Algorithm half : halves)
    CHECK(2 * all_reduce_algorithm(half).messages(two_level(24, 8), 1e6, 3) == ring.messages(two_level(24, 8), 1e6, 3));
}

} // namespace ddlsim
