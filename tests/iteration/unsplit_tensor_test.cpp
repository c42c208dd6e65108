#include "sim/iteration/step.hpp"
#include "sim/iteration/unsplit_tensor.hpp"
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
