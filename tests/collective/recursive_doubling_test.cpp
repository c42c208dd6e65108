#include "sim/collective/recursive_doubling.hpp"
#include "tests/collective/machines.hpp"
#include "tests/collective/schedule_sums.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {

TEST_CASE("recursive doubling, one GPU a node: log2 of the power of two exchanges of S, two more for the ranks beyond",
          "[recursive-doubling]") {
  for (int nodes = 1; nodes <= 130; ++nodes) {
    int exchanges = 0;
    while (2 << exchanges <= nodes) ++exchanges;
    const bool has_rest = nodes > 1 << exchanges;
    const Machine machine = two_level(nodes, 1);
    const double exact_s = (exchanges + (has_rest ? 2 : 0)) * (machine.net_latency_s + 1e6 / machine.nic_Bps);
    INFO(nodes << " nodes");
    CHECK(recursive_doubling_all_reduce_s(machine, 1e6) == Approx(exact_s).epsilon(rounding));
  }
}

TEST_CASE("recursive doubling, 4 ranks a node: two exchanges inside, then four ranks share the NIC",
          "[recursive-doubling]") {
  const Machine machine = two_level(32, 4);
  const double inside_s = 2 * (machine.intra_latency_s + 1e8 / machine.intra_Bps);
  const double across_s = 3 * (machine.net_latency_s + 4 * 1e8 / machine.nic_Bps);
  CHECK(recursive_doubling_all_reduce_s(machine, 1e8) == Approx(inside_s + across_s).epsilon(rounding));
}

TEST_CASE("recursive doubling: every message arrives, and each of a power of two ranks sends log2 n vectors",
          "[recursive-doubling]") {
  for (int ranks = 2; ranks <= 70; ++ranks)
    CHECK(every_message_arrives(recursive_doubling_schedule(two_level(ranks, 1), 1e6)));
  for (const double bytes : bytes_out_of_nodes(two_level(16, 1), recursive_doubling_schedule(two_level(16, 1), 1e6)))
    CHECK(bytes == 4e6);
}

} // namespace ddlsim
