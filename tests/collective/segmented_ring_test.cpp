#include "sim/collective/collective.hpp"
#include "sim/collective/ring.hpp"
#include "sim/collective/segmented_ring.hpp"
#include "tests/collective/machines.hpp"
#include "tests/collective/ring_recurrence.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {

TEST_CASE("segments: 1 MiB at most, two of a chunk at least, as many of every chunk", "[gloo]") {
  const Machine machine = two_level(4, 1);
  CHECK(segments_of_chunk(machine, 1e3) == 2);
  CHECK(segments_of_chunk(machine, 8 * 1048576.0) == 2);
  CHECK(segments_of_chunk(machine, 8 * 1048576.0 + 1) == 3);
  CHECK(segments_of_chunk(machine, 100 * 1048576.0) == 25);
}

TEST_CASE("a third less than a plain ring where a chunk takes twice its latency, and nothing for large messages",
          "[gloo]") {
  const Machine machine = two_level(64, 1);
  const auto share = [&](double size_bytes) {
    return segmented_ring_all_reduce_s(machine, size_bytes) / ring_all_reduce_s(machine, size_bytes);
  };
  const double chunk_bytes = 2 * machine.net_latency_s * machine.nic_Bps;
  CHECK(share(64 * chunk_bytes) == Approx(2.0 / 3).epsilon(0.01));
  CHECK(share(1e9) > 0.94);
  CHECK(share(1e3) > 0.99);
}

TEST_CASE("the closed form equals the recurrence with short last nodes and leaves too", "[gloo][property]") {
  std::mt19937_64 random(37);
  for (int round = 0; round < 100; ++round) {
    const Machine machine = random_machine(random, 64);
    const double size_bytes = log_uniform(random, 1e2, 1e9);
    INFO(machine.ranks << " ranks, " << machine.ranks_per_node << " a node");
    CHECK(segmented_ring_all_reduce_s(machine, size_bytes) ==
          Approx(segmented_ring_by_recurrence_s(machine, size_bytes)).epsilon(1e-9));
  }
}

} // namespace ddlsim
