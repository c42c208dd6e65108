#include "sim/iteration/iteration_graph.hpp"
#include "sim/iteration/server_bound.hpp"
#include "tests/predict/random_scenario.hpp"
#include "tests/predict/small_cluster.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {

TEST_CASE("even shares bound the busiest server, or the largest shard does", "[server-bound]") {
  const BackwardShape shape{{{1, 6e6, 0.5}, {0, 2e6, 1}}, 1};
  const auto bound = [&](Sharding rule, double split_bytes, int servers) {
    return bound_of_shards(shape, rule, split_bytes, servers);
  };
  CHECK(bound(Sharding::bytes, 0, 1).busiest_server_bytes == 8e6);
  CHECK(bound(Sharding::bytes, 0, 4).busiest_server_bytes == 6e6);
  CHECK(bound(Sharding::round_robin, 0, 4).shards == 2);
  CHECK(bound(Sharding::split, 4e6, 4).busiest_server_bytes == 2e6); // of either tensor
  CHECK(bound(Sharding::split, 4e6, 8).busiest_server_bytes == 2e6); // the one that is not split
  CHECK(bound(Sharding::split, 4e6, 8).shards == 9);
  CHECK(bound(Sharding::pieces, 1e6, 16).busiest_server_bytes == 1e6);
  CHECK(bound(Sharding::pieces, 1e6, 16).shards == 8);
  CHECK(bound(Sharding::hash, 0, 16).busiest_server_bytes == 4096000);
  CHECK(bound(Sharding::hash, 0, 16).shards == 3);
}

// 100 MB at 1 GB/s, compute of 0.3 s, which all has to be there before the only gradient leaves: the bound knows no
// latency, and of the dedicated server neither the way back.
TEST_CASE("the bound of one tensor is what its server takes in, or what passes the workers' NICs", "[server-bound]") {
  const SmallCluster small;
  auto setup = small.setup(StrategyName::ps, 4);
  const auto least_s = [&](ServerCount servers, Placement placement) {
    setup.strategy.servers = servers;
    setup.strategy.placement = placement;
    return least_server_iteration_s(setup, small.sample, backward_shape_of(setup));
  };
  CHECK(least_s({ServerCount::Rule::count, 1}, Placement::dedicated) == Approx(0.3 + 4 * 0.1));
  CHECK(least_s({ServerCount::Rule::count, 1}, Placement::colocated) == Approx(0.3 + 4 * 0.1 * 3 / 4));
  setup.strategy.name = StrategyName::ps_async;
  CHECK(least_s({ServerCount::Rule::count, 1}, Placement::dedicated) == 0);
}

TEST_CASE("no iteration with servers is faster than its bound", "[server-bound]") {
  int close = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    RandomScenario random(seed);
    random.strategy.name = StrategyName::ps;
    random.strategy.servers = {ServerCount::Rule::count, 1 + static_cast<int>(seed % 9)};
    random.strategy.placement = seed % 2 == 0 ? Placement::dedicated : Placement::colocated;
    random.strategy.on_node_reduce = seed % 3 != 0;
    random.sample.server_process_Bps = seed % 5 == 0 ? 3e8 : 0;
    random.sample.server_connection_Bps = seed % 7 == 0 ? 2e8 : 0;
    const auto setup = random.setup();
    const double least_s = least_server_iteration_s(setup, random.sample, backward_shape_of(setup));
    INFO("seed " << seed << ", " << to_text(setup.strategy) << " on " << setup.gpus << " GPUs");
    for (const Fidelity fidelity : {Fidelity::screening, Fidelity::reduced}) {
      const double taken_s = random.iteration_s(fidelity);
      CHECK(least_s <= taken_s * (1 + 1e-9));
      close += least_s > 0.5 * taken_s;
    }
  }
  CHECK(close > 300); // of 600: it says something
}

} // namespace ddlsim
