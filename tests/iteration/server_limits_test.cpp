#include "sim/iteration/iteration_graph.hpp"
#include "sim/iteration/server_limits.hpp"
#include "sim/iteration/step.hpp"
#include "tests/predict/random_scenario.hpp"
#include "tests/predict/small_cluster.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
namespace {

/// "name of so many MB, its share" of what decides on so many servers; "" where nothing does.
std::string deciding(const SmallCluster& small, int servers, Sharding sharding) {
  auto setup = small.setup(StrategyName::ps, 4);
  setup.strategy.servers = {ServerCount::Rule::count, servers};
  setup.strategy.placement = Placement::dedicated;
  setup.strategy.sharding = sharding;
  const auto tensor = find_unsplit_tensor(setup, small.sample);
  if (!tensor) return "";
  return tensor->name + " " + std::to_string(std::lround(tensor->size_bytes / 1e6)) + " " +
         std::to_string(std::lround(100 * tensor->share_of_busiest_server)) + " %";
}

} // namespace

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
    random.sample.server_duplex = seed % 4 == 0 ? 0.3 + 0.1 * static_cast<double>(seed % 11) : 1;
    const auto setup = random.setup();
    const double least_s = least_server_iteration_s(setup, random.sample, backward_shape_of(setup));
    INFO("seed " << seed << ", " << to_text(setup.strategy) << " on " << setup.gpus << " GPUs");
    for (const Fidelity fidelity : {Fidelity::formula, Fidelity::by_default}) {
      const double taken_s = random.iteration_s(fidelity);
      CHECK(least_s <= taken_s * (1 + 1e-9));
      close += least_s > 0.5 * taken_s;
    }
  }
  CHECK(close > 300); // of 600: it says something
}

TEST_CASE("a tensor decides that is most of the busiest server and lies there as a whole", "[unsplit]") {
  SmallCluster small;
  small.model.layers = {{"conv", "linear", 1e9, 0, {{"conv.weight", {}, 2e7}, {"conv.bias", {}, 1e7}}},
                        {"fc6", "linear", 1e9, 0, {{"fc6.weight", {}, 4e8}}}};
  CHECK(deciding(small, 2, Sharding::bytes) == "fc6.weight 400 98 %");       // beside the smaller of the two others
  CHECK(deciding(small, 2, Sharding::round_robin) == "fc6.weight 400 95 %"); // beside the larger
  CHECK(deciding(small, 3, Sharding::bytes) == "fc6.weight 400 100 %");
  CHECK(deciding(small, 1, Sharding::bytes).empty()); // the one server has everything anyway
  CHECK(deciding(small, 3, Sharding::split).empty());
  CHECK(deciding(small, 3, Sharding::pieces).empty());
  small.preset.split_bytes = 5e8; // nothing is as large
  CHECK(deciding(small, 3, Sharding::split) == "fc6.weight 400 100 %");
}

TEST_CASE("tensors that come out even decide nothing, nor do many small ones", "[unsplit]") {
  SmallCluster small;
  small.model.layers = {{"a", "linear", 1e9, 0, {{"a.0", {}, 1e7}, {"a.1", {}, 1e7}, {"a.2", {}, 1e7}}}};
  CHECK(deciding(small, 3, Sharding::bytes).empty());
  CHECK(deciding(small, 2, Sharding::bytes) == "a.0 10 50 %"); // two of three on one server: one of them, cut, helps
  for (int i = 0; i < 20; ++i) small.model.layers[0].tensors.push_back({"a.n", {}, 1e7});
  CHECK(deciding(small, 5, Sharding::round_robin).empty()); // five of 23: 9 % more than an even share
  CHECK(deciding(small, 7, Sharding::round_robin).empty()); // four of 23: a quarter of a server each
}

TEST_CASE("servers start with several GPUs, and where the preset wants them on one machine", "[unsplit]") {
  SmallCluster small;
  auto setup = small.setup(StrategyName::ps, 4);
  CHECK(starts_servers(setup));
  CHECK_FALSE(starts_servers(on_gpus(setup, 1, 1)));
  CHECK(starts_servers(on_gpus(setup, 4, 4)));
  small.preset.serves_one_machine = false;
  CHECK_FALSE(starts_servers(on_gpus(setup, 4, 4)));
  CHECK(starts_servers(on_gpus(setup, 8, 4)));
  CHECK_FALSE(starts_servers(small.setup(StrategyName::ring, 4)));
}

} // namespace ddlsim
