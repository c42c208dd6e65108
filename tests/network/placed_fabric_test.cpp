#include "sim/base/error.hpp"
#include "sim/network/max_min.hpp"
#include "tests/network/fabrics.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <set>
#include <tuple>

namespace ddlsim {
namespace {

using Places = std::vector<int>;

const NodePlacement packed{};
const NodePlacement scattered{NodeOrder::scattered, {}};

std::size_t hops(const Fabric& fabric, int from, int to) {
  return links_between(fabric, from, to).size();
}

} // namespace

TEST_CASE("a job is packed after those before it, or dealt out over the leaves", "[fabric]") {
  const auto tree = fat_tree(4, 2);
  CHECK(places_of(tree, packed, 16, 0, 3) == Places{0, 1, 2});
  CHECK(places_of(tree, packed, 16, 3, 3) == Places{3, 4, 5});
  CHECK(places_of(tree, scattered, 16, 0, 6) == Places{0, 4, 8, 12, 1, 5});
  CHECK(places_of(tree, scattered, 16, 6, 2) == Places{9, 13});
  CHECK(places_of(tree, {NodeOrder::listed, {7, 2, 5}}, 16, 0, 2) == Places{7, 2});
  CHECK(places_of(torus({3, 2}, 1e9), scattered, 6, 0, 6) == Places{0, 3, 1, 4, 2, 5});
}

TEST_CASE("dealing out reaches every node once, a short last leaf too", "[fabric][property]") {
  for (int nodes = 1; nodes < 40; ++nodes)
    for (int leaf = 1; leaf < 12; ++leaf) {
      const auto places = places_of(fat_tree(leaf, 1), scattered, nodes, 0, nodes);
      const std::set<int> all(places.begin(), places.end());
      CHECK(static_cast<int>(all.size()) == nodes);
      CHECK(*all.begin() == 0);
      CHECK(*all.rbegin() == nodes - 1);
    }
}

TEST_CASE("a job that does not fit is an error", "[fabric]") {
  CHECK_THROWS_WITH(places_of(fat_tree(4, 1), packed, 8, 6, 3),
                    "/neighbours: all jobs together have 9 nodes, and the fabric has 8; ask for fewer");
  CHECK_THROWS_WITH(places_of(fat_tree(4, 1), {NodeOrder::listed, {1, 2}}, 8, 0, 3),
                    "/node_placement: 2 nodes are listed and 3 are needed; list more, or ask for fewer GPUs");
  CHECK_THROWS_WITH(places_of(fat_tree(4, 1), {NodeOrder::listed, {1, 8}}, 8, 0, 2),
                    "/node_placement: node 8 is not one of the fabric's 8 nodes, which are counted from 0");
}

TEST_CASE("a fat-tree goes up to the lowest group of both, and down", "[fabric]") {
  const auto tree = fat_tree(4, 2, {{16, 3}});
  CHECK(hops(tree, 0, 3) == 0);
  CHECK(hops(tree, 0, 4) == 2);
  CHECK(hops(tree, 3, 16) == 4);
  // Every way out of a leaf is the leaf's one uplink.
  CHECK(links_between(tree, 0, 4).front() == links_between(tree, 3, 40).front());
  CHECK(links_between(tree, 0, 4).back() != links_between(tree, 4, 0).front());
}

TEST_CASE("a level's uplinks carry what its parts send up, over its blocking", "[fabric]") {
  const PlacedFabric placed{fat_tree(4, 2, {{16, 4}}), 10e9, 0.25, {}, {}};
  const auto route = links_between(placed.fabric, 0, 16);
  CHECK(link_line_Bps(placed, route[0]) == Approx(0.75 * 4 * 10e9 / 2));
  CHECK(link_line_Bps(placed, route[1]) == Approx(0.75 * 16 * 10e9 / 2 / 4));
  CHECK(link_line_Bps(placed, route[2]) == link_line_Bps(placed, route[1]));
}

TEST_CASE("with static routes a message takes the cable of its destination", "[fabric]") {
  const auto tree =
      with_static_routes(fat_tree(4, 1, {{16, 2}})); // 4 cables up from a leaf, 8 from a group of 4 leaves
  const auto up = [&](int from, int to) { return links_between(tree, from, to).front(); };
  CHECK(hops(tree, 0, 3) == 0);
  CHECK(hops(tree, 0, 4) == 2);
  CHECK(hops(tree, 0, 16) == 4);
  CHECK(up(0, 4) != up(0, 5));
  CHECK(up(0, 4) == up(3, 8)); // both end in 0 modulo 4
  CHECK(up(0, 4) != up(4, 8)); // another leaf
  CHECK(links_between(tree, 0, 16)[1] != links_between(tree, 0, 20)[1]);
  CHECK(links_between(tree, 0, 16)[1] == links_between(tree, 4, 24)[1]); // 0 modulo 8
  CHECK(links_between(tree, 0, 16).back() == links_between(tree, 9, 16).back());
  const PlacedFabric placed{tree, 10e9, 0.25, {}, {}};
  for (const auto link : links_between(tree, 0, 16)) CHECK(link_line_Bps(placed, link) == Approx(7.5e9));
}

TEST_CASE("with static routes two messages share a cable beside three idle ones", "[fabric]") {
  const std::vector<NodeMessage> to_the_same_cable{{0, 4, 1}, {1, 8, 1}};
  PlacedFabric placed{fat_tree(4, 1), 10e9, 0, {}, {}};
  for (int node = 0; node < 12; ++node) placed.places.push_back(node);
  CHECK(busiest_link(placed, to_the_same_cable) == Approx(0.5));
  placed.fabric = with_static_routes(placed.fabric);
  CHECK(busiest_link(placed, to_the_same_cable) == Approx(2));
  CHECK(busiest_link(placed, {{0, 4, 1}, {1, 9, 1}}) == Approx(1));
}

TEST_CASE("a shift of all nodes of a non-blocking tree meets no other message, which is what D-mod-k is for",
          "[fabric]") {
  PlacedFabric placed{with_static_routes(fat_tree(4, 1, {{16, 1}})), 10e9, 0, {}, {}};
  constexpr int nodes = 32;
  for (int node = 0; node < nodes; ++node) placed.places.push_back(node);
  for (int shift = 1; shift < nodes; ++shift) {
    std::vector<NodeMessage> messages;
    for (int node = 0; node < nodes; ++node) messages.push_back({node, (node + shift) % nodes, 1});
    CHECK(busiest_link(placed, messages) <= 1);
  }
}

TEST_CASE("a message that changes its rail leaves its leaf", "[fabric]") {
  const auto rails = changing_rails(4, 2, {{16, 1}});
  CHECK(hops(rails, 0, 0) == 0);
  CHECK(hops(rails, 0, 3) == 2); // leaf of one rail, above, leaf of the other
  CHECK(hops(rails, 0, 4) == 2);
  CHECK(hops(rails, 0, 16) == 4);
  const auto tree = fat_tree(4, 2, {{16, 1}});
  CHECK(links_between(rails, 0, 4) == links_between(tree, 0, 4));
  CHECK(links_between(rails, 0, 16) == links_between(tree, 0, 16));
  // Packed on one leaf of rails with half the uplinks, a ring goes at half the rate; on a leaf of a fat-tree at all of
  // it.
  CHECK(placed_on(two_level(4, 1), rails, packed, 4).fabric->load.ring == Approx(2));
  CHECK(placed_on(two_level(4, 1), tree, packed, 4).fabric->load.ring == 1);
}

namespace {

/// Rates of messages when each NIC, and each link of the tree, has `rails` parts, of which a message crosses all.
std::vector<double> rates_on_rails(const PlacedFabric& placed, const std::vector<NodeMessage>& messages, int rails) {
  MaxMin network(0);
  std::map<std::tuple<int, int, std::size_t>, std::size_t> known; // what it is, rail, number
  const auto link = [&](int kind, int rail, std::size_t which, double rate_Bps) {
    const auto [place, is_new] = known.emplace(std::tuple{kind, rail, which}, 0);
    if (is_new) place->second = network.add_link(rate_Bps / rails);
    return place->second;
  };
  std::vector<std::size_t> flows;
  for (const auto& message : messages)
    for (int rail = 0; rail < rails; ++rail) {
      std::vector<MaxMin::Crossing> route{{link(0, rail, at(message.from), placed.nic_line_Bps), 1},
                                          {link(1, rail, at(message.to), placed.nic_line_Bps), 1}};
      for (const auto number :
           links_between(placed.fabric, placed.places[at(message.from)], placed.places[at(message.to)]))
        route.push_back({link(2, rail, number, link_line_Bps(placed, number)), 1});
      flows.push_back(network.add_flow(route));
      network.set_active(flows.back(), true);
    }
  network.settle();
  std::vector<double> rates_Bps(messages.size(), 0);
  for (std::size_t flow = 0; flow < flows.size(); ++flow)
    rates_Bps[flow / static_cast<std::size_t>(rails)] += network.rate_Bps(flows[flow]);
  return rates_Bps;
}

} // namespace

TEST_CASE("NCCL's messages are on rails what they are on one tree as wide as all", "[fabric][property]") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 40; ++round) {
    const auto machine = on_random_static_tree(two_level(2 + static_cast<int>(random() % 30), 1), random);
    auto placed = *machine.fabric;
    if (round % 2 == 0) placed.fabric.routing = Routing::adaptive;
    std::vector<NodeMessage> messages;
    for (int i = 0; i < 20; ++i) {
      const auto node = [&] { return static_cast<int>(random() % static_cast<unsigned>(machine.nodes())); };
      const NodeMessage one{node(), node(), 1};
      if (one.from != one.to) messages.push_back(one);
    }
    const auto one_tree = rates_on_rails(placed, messages, 1);
    const auto of_rails = rates_on_rails(placed, messages, 1 + static_cast<int>(random() % 8));
    for (std::size_t i = 0; i < messages.size(); ++i) CHECK(of_rails[i] == Approx(one_tree[i]));
  }
}

TEST_CASE("NCCL stays on its rail, MPI and servers do not, and one NIC is one rail", "[fabric]") {
  Cluster cluster;
  cluster.fabric = changing_rails(32, 2);
  cluster.nics = {{"ib", 50e9, 8}, {"eth", 1e9, 1}};
  const auto kind = [&](const char* transport, const char* nic) { return fabric_over(cluster, {transport, nic}).kind; };
  CHECK(kind("nccl-ib", "ib") == FabricKind::fat_tree);
  CHECK(kind("mpi-ib", "ib") == FabricKind::rails);
  CHECK(kind("grpc", "ib") == FabricKind::rails);
  CHECK(kind("grpc", "eth") == FabricKind::fat_tree);
  CHECK(needs_links(fabric_over(cluster, {"mpi-ib", "ib"}), packed));
  CHECK_FALSE(needs_links(fabric_over(cluster, {"nccl-ib", "ib"}), packed));
}

TEST_CASE("a torus goes the shorter way around, one dimension after the other", "[fabric]") {
  const auto ring_of_8 = torus({8}, 1e9);
  for (int to = 0; to < 8; ++to) CHECK(hops(ring_of_8, 0, to) == static_cast<std::size_t>(std::min(to, 8 - to)));
  CHECK(hops(torus({4, 4, 4}, 1e9), 0, 1 + 4 * 2 + 16 * 3) == 1 + 2 + 1);
  // There and back are two directions of the same cable.
  CHECK(links_between(ring_of_8, 0, 1) != links_between(ring_of_8, 1, 0));
}

TEST_CASE("a dragonfly crosses one link in each group and one between", "[fabric]") {
  const auto fly = dragonfly(3, 4, 2, 1e9, 5); // groups of 8 nodes
  CHECK(hops(fly, 0, 1) == 2);                 // one switch: in and out of it
  CHECK(hops(fly, 0, 2) == 3);
  CHECK(hops(fly, 2, 8) == 3);  // switch 1 of group 0 is linked to switch 0 of group 1
  CHECK(hops(fly, 0, 15) == 5); // to switch 1, across, from switch 0 to switch 3
  const PlacedFabric placed{fly, 1e9, 0, {}, {}};
  const auto route = links_between(fly, 0, 15);
  CHECK(link_line_Bps(placed, route[1]) == 1e9);
  CHECK(link_line_Bps(placed, route[2]) == 5e9);
}

TEST_CASE("the busiest link by hand", "[fabric]") {
  // Four nodes dealt out over two leaves of two: every message of the ring leaves its leaf, two on each uplink.
  const auto machine = placed_on(two_level(4, 1), fat_tree(2, 2), scattered, 4);
  CHECK(machine.fabric->load.ring == Approx(2)); // an uplink is as fast as one NIC
  CHECK(machine.fabric->load.hops == Approx(2));
  // Packed, one message leaves each leaf.
  CHECK(placed_on(two_level(4, 1), fat_tree(2, 2), packed, 4).fabric->load.ring == 1);
  // All to all on a ring of five: distances 1 and 2 each way, 3 messages of a quarter on each link.
  const auto circle = placed_on(two_level(5, 1), torus({5}, 10e9 / 4), packed, 5);
  CHECK(circle.fabric->load.all_to_all == Approx(4 * 3 / 4.0));
  CHECK(circle.fabric->load.ring == Approx(4));
  // Halving-doubling on four in a row: neighbours send two thirds of what a node sends, one message a link; across,
  // two.
  const auto square = placed_on(two_level(4, 1), torus({4}, 10e9), packed, 4);
  CHECK(square.fabric->load.halving_doubling == Approx((1 + 0.5 * 2) / 1.5));
  CHECK(square.fabric->load.recursive_doubling == Approx((1 + 2) / 2.0));
  // On two nodes both trees have one edge, and a NIC sends the message once.
  CHECK(placed_on(two_level(2, 1), torus({2}, 10e9 / 2), packed, 2).fabric->load.tree == Approx(2));
}

TEST_CASE("one switch of slower NICs stands for the fabric", "[fabric]") {
  const auto machine = placed_on(two_level(4, 1), fat_tree(2, 2), scattered, 4);
  const auto alike = on_one_switch(machine, TrafficPattern::ring);
  CHECK(alike.fabric == nullptr);
  CHECK(alike.nic_Bps == Approx(machine.nic_Bps / 2));
  CHECK(on_one_switch(two_level(4, 1), TrafficPattern::ring) == two_level(4, 1));
}

} // namespace ddlsim
