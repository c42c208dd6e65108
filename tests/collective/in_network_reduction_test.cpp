#include "sim/collective/in_network_reduction.hpp"
#include "tests/collective/machines.hpp"
#include "tests/network/fabrics.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {

TEST_CASE("switches that sum: scattered nodes load no link more than packed ones", "[in-network]") {
  const auto tree = fat_tree(4, 4);
  for (const auto& order : {NodeOrder::packed, NodeOrder::scattered}) {
    const auto machine = placed_on(two_level(16, 1), tree, {order, {}}, 16);
    CHECK(machine.fabric->load.in_order == 1);
    const auto next = next_nodes(machine);
    const auto& places = machine.fabric->places;
    for (std::size_t node = 0; node < next.size(); ++node) CHECK(places[at(next[node])] == (places[node] + 1) % 16);
  }
  CHECK(placed_on(two_level(16, 1), tree, {NodeOrder::scattered, {}}, 16).fabric->load.ring > 1);
}

} // namespace ddlsim
