#include "sim/collective/collnet.hpp"
#include "sim/collective/nvls_sharp.hpp"
#include "tests/collective/machines.hpp"
#include "tests/collective/schedule_sums.hpp"

#include <catch2/catch.hpp>

#include <vector>

namespace ddlsim {

TEST_CASE("both switches sum: a node sends the vector once, and a port passes it once and a head's share",
          "[nvls-sharp]") {
  for (const int ranks : {16, 24, 20, 3}) {
    const Machine machine = two_level(ranks, ranks > 3 ? 8 : 1);
    const Schedule schedule = nvls_sharp_schedule(machine, 1e8);
    INFO(ranks << " ranks");
    CHECK(every_message_arrives(schedule));
    for (const double bytes : bytes_out_of_nodes(machine, schedule)) CHECK(bytes == Approx(1e8));
    std::vector<double> inside_bytes(at(ranks), 0);
    for (const auto& program : schedule.programs)
      for (const auto& step : program.steps)
        for (const auto& send : step.sends)
          if (machine.node_of(send.to) == machine.node_of(program.rank))
            inside_bytes[at(program.rank)] += send.size_bytes;
    for (int rank = 0; rank < ranks; ++rank) {
      const int beside = ranks_of_node(machine, machine.node_of(rank));
      CHECK(inside_bytes[at(rank)] == Approx(beside > 1 ? 1e8 * (1 + 1.0 / beside) : 0));
    }
  }
}

TEST_CASE("both switches sum: the slower of port and NIC decides, and nodes add nothing", "[nvls-sharp]") {
  const auto s_per_byte = [](const Machine& machine) {
    return (nvls_sharp_all_reduce_s(machine, 2e12) - nvls_sharp_all_reduce_s(machine, 1e12)) / 1e12;
  };
  Machine machine = two_level(64, 8);
  machine.intra_Bps = 1e12;
  CHECK(s_per_byte(machine) == Approx(1 / machine.nic_Bps));
  machine.intra_Bps = 1e9;
  CHECK(s_per_byte(machine) == Approx((1 + 1.0 / 8) / machine.intra_Bps));
  CHECK(nvls_sharp_all_reduce_s(two_level(65536, 8), 1e8) == Approx(nvls_sharp_all_reduce_s(two_level(16, 8), 1e8)));
  const Machine alone = two_level(64, 1);
  CHECK(nvls_sharp_all_reduce_s(alone, 1e8) == Approx(collnet_all_reduce_s(alone, 1e8)));
}

} // namespace ddlsim
