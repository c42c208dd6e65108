#include "sim/iteration/node_reduction.hpp"

#include <catch2/catch.hpp>

#include <vector>

using Catch::Detail::Approx;

namespace ddlsim {
namespace {

/// Four GPUs behind paths of 1 GB/s.
Machine four_gpus() {
  Machine machine;
  machine.ranks = machine.ranks_per_node = 4;
  machine.intra_Bps = 1e9;
  return machine;
}

Preset that_does(NodeReduce node_reduce) {
  Preset preset;
  preset.node_reduce = node_reduce;
  return preset;
}

} // namespace

TEST_CASE("a reduce-scatter moves (g - 1) / g of each tensor over one path, beside backward", "[on_node]") {
  const auto fidelity = GENERATE(Fidelity::screening, Fidelity::by_symmetry);
  const auto node = plan_node_reduction(that_does(NodeReduce::reduce_scatter), four_gpus(), {4e9, 2e9});
  CHECK_FALSE(node.after_backward);
  const auto passed_s = NodePaths(fidelity).pass(node, {1, 0}, {0, 0});
  CHECK(passed_s[1] == Approx(1.5));
  CHECK(passed_s[0] == Approx(1.5 + 3));
}

TEST_CASE("ps-lite sums a tensor on one GPU, the largest alone behind its path", "[on_node]") {
  const auto fidelity = GENERATE(Fidelity::screening, Fidelity::by_symmetry);
  const auto node = plan_node_reduction(that_does(NodeReduce::one_gpu), four_gpus(), {1e9, 4e9, 2e9, 1e9, 1e9, 1e9});
  CHECK(node.after_backward);
  const auto passed_s = NodePaths(fidelity).pass(node, {0, 1, 2, 3, 4, 5}, {10, 10, 10, 10, 10, 10});
  CHECK(passed_s[1] == Approx(10 + 3 * 4)); // three other GPUs copy 4 GB
  CHECK(passed_s[2] == Approx(10 + 3 * 2));
  CHECK(passed_s[4] == Approx(10 + 3 * (1 + 1))); // on the path of another 1 GB
}

TEST_CASE("one GPU has nothing to sum, and every further one adds the largest tensor again", "[on_node]") {
  Machine machine = four_gpus();
  machine.ranks = machine.ranks_per_node = 1;
  CHECK(plan_node_reduction(that_does(NodeReduce::one_gpu), machine, {4e9}).busy_s(0) == 0);
  for (const int gpus : {2, 3, 8}) {
    machine.ranks_per_node = gpus;
    CHECK(plan_node_reduction(that_does(NodeReduce::one_gpu), machine, {4e9}).busy_s(0) == Approx(4.0 * (gpus - 1)));
  }
}

TEST_CASE("what is pulled comes back to all GPUs tensor by tensor, each after its last shard", "[on_node]") {
  const auto fidelity = GENERATE(Fidelity::screening, Fidelity::by_symmetry);
  const auto node = plan_node_reduction(that_does(NodeReduce::reduce_scatter), four_gpus(), {4e9, 2e9});
  ServerExchange exchange;
  exchange.shards = {{0, 0, 2e9}, {0, 1, 2e9}, {1, 0, 2e9}};
  ServerExchangeTiming timing;
  timing.pulled_s = {1, 6, 2};
  timing.end_s = 6;
  CHECK(NodePaths(fidelity).spread_end_s(node, exchange, timing) == Approx(6 + 3)); // tensor 1 is back at 3.5
  timing.pulled_s = {1, 2, 2};
  CHECK(NodePaths(fidelity).spread_end_s(node, exchange, timing) == Approx(2 + 3 + 1.5));
}

} // namespace ddlsim
