#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"
#include "tests/predict/small_cluster.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <optional>

namespace ddlsim {

TEST_CASE("ring after backward: compute + 2(n-1)(latency + S/(n B))", "[step]") {
  const SmallCluster small;
  for (const int gpus : {2, 3, 8, 17}) {
    const double ring_s = 2.0 * (gpus - 1) * (1e-3 + 1e8 / gpus / 1e9);
    const auto time = time_step(small.setup(StrategyName::ring, gpus), small.sample, Fidelity::formula);
    CHECK(time.iteration_s == Approx(0.3 + ring_s));
    CHECK(time.parts.compute_s == Approx(0.3));
    CHECK(time.parts.exposed_communication_s == Approx(ring_s));
    CHECK(time_step(small.setup(StrategyName::ring, gpus), small.sample, Fidelity::full).iteration_s ==
          Approx(time.iteration_s).epsilon(1e-6));
  }
}

TEST_CASE("the strategy's name chooses the all-reduce, and auto is the ring", "[step]") {
  const SmallCluster small;
  const auto exposed_s = [&](StrategyName strategy, int gpus, int gpus_per_node) {
    auto setup = small.setup(strategy, gpus);
    setup.gpus_per_node = gpus_per_node;
    return time_step(setup, small.sample, Fidelity::formula).parts.exposed_communication_s;
  };
  // 100 MB at 1 GB/s everywhere, 1 ms between nodes, nothing inside: hierarchical ring and halving-doubling move
  // 3/4 S twice inside a node of 4 and once there and back between 2 nodes; the tree goes up and down.
  CHECK(exposed_s(StrategyName::hierarchical_ring, 8, 4) == Approx(0.15 + 0.1 + 2e-3));
  CHECK(exposed_s(StrategyName::halving_doubling, 8, 4) == Approx(0.15 + 0.1 + 2e-3));
  CHECK(exposed_s(StrategyName::halving_doubling, 8, 1) == Approx(2 * 0.0875 + 6e-3));
  CHECK(exposed_s(StrategyName::tree, 2, 1) == Approx(0.1 + 2e-3));
  CHECK(exposed_s(StrategyName::automatic, 8, 4) == exposed_s(StrategyName::ring, 8, 4));
  CHECK(exposed_s(StrategyName::ring, 8, 4) != Approx(exposed_s(StrategyName::hierarchical_ring, 8, 4)));
  for (const StrategyName strategy :
       {StrategyName::hierarchical_ring, StrategyName::halving_doubling, StrategyName::tree}) {
    const auto full = time_step(small.setup(strategy, 4), small.sample, Fidelity::full);
    const double closed_s = time_step(small.setup(strategy, 4), small.sample, Fidelity::formula).iteration_s;
    CHECK(full.iteration_s ==
          Approx(closed_s).epsilon(strategy == StrategyName::tree ? 0.02 : 1e-6)); // trees: flows meet
  }
}

TEST_CASE("one dedicated server takes n copies in and gives n out", "[step]") {
  const SmallCluster small;
  auto setup = small.setup(StrategyName::ps, 4);
  setup.strategy.servers = {ServerCount::Rule::count, 1};
  setup.strategy.placement = Placement::dedicated;
  const auto time = time_step(setup, small.sample, Fidelity::formula);
  CHECK(time.iteration_s == Approx(0.3 + 2 * (4 * 0.1 + 1e-3)));
  CHECK(time.bottleneck == "server-link");
  auto slow = small.sample;
  slow.server_process_Bps = 5e8; // software at half of the NIC
  const auto limited = time_step(setup, slow, Fidelity::formula);
  CHECK(limited.iteration_s == Approx(0.3 + 2 * (4 * 0.2 + 1e-3)));
  CHECK(limited.bottleneck == "server-software");
}

TEST_CASE("one worker exchanges with a server on a host of its own, and not with one beside it", "[step]") {
  const SmallCluster small;
  auto setup = small.setup(StrategyName::ps, 1);
  setup.strategy.servers = {ServerCount::Rule::count, 1};
  setup.strategy.placement = Placement::dedicated;
  const auto time_s = [&] { return time_step(setup, small.sample, Fidelity::full).iteration_s; };
  CHECK(time_s() == Approx(0.3 + 2 * (0.1 + 1e-3)));
  CHECK(time_step(setup, small.sample, Fidelity::formula).iteration_s == Approx(time_s()));
  setup.strategy.placement = Placement::colocated;
  CHECK(time_s() == Approx(0.3));
  setup.strategy.placement = Placement::dedicated;
  setup.synchronised = false;
  CHECK(time_s() == Approx(0.3));
}

TEST_CASE("servers that a record does not count or place are the preset's", "[step]") {
  SmallCluster small;
  small.preset.servers = {ServerCount::Rule::count, 3};
  small.preset.placement = Placement::dedicated;
  auto open = small.setup(StrategyName::ps, 4);
  auto stated = open;
  stated.strategy.servers = {ServerCount::Rule::count, 3};
  stated.strategy.placement = Placement::dedicated;
  CHECK(time_step(open, small.sample, Fidelity::formula).iteration_s ==
        time_step(stated, small.sample, Fidelity::formula).iteration_s);
  CHECK(dedicated_server_hosts(open, small.sample) == 3);
  stated.strategy.placement = Placement::colocated;
  CHECK(dedicated_server_hosts(stated, small.sample) == 0);
}

TEST_CASE("every software cost is in the iteration once", "[step]") {
  const SmallCluster small;
  const double transfer_s = time_step(small.setup(StrategyName::ring, 4), small.sample, Fidelity::formula).iteration_s;
  const auto extra = [&](double Parameters::*field, double value) {
    auto sample = small.sample;
    sample.*field = value;
    return time_step(small.setup(StrategyName::ring, 4), sample, Fidelity::formula).iteration_s - transfer_s;
  };
  CHECK(extra(&Parameters::sync_on_s, 0.02) == Approx(0.02));
  CHECK(extra(&Parameters::operation_cost_s, 0.01) == Approx(0.01)); // one group
  CHECK(extra(&Parameters::tensor_cost_s, 0.005) == Approx(0.005));  // one tensor
  CHECK(extra(&Parameters::second_node_jump, 0.1) == Approx(0.03));
  CHECK(extra(&Parameters::sync_share, 0.1) == Approx(0.03));
  CHECK(extra(&Parameters::step_spread, 0.05) == Approx(0.05 * 0.3 * expected_largest_normal(4)));
  auto sample = small.sample;
  sample.model_discrepancy = 1.1;
  const auto slower = time_step(small.setup(StrategyName::ring, 4), sample, Fidelity::formula);
  CHECK(slower.iteration_s == Approx(1.1 * transfer_s));
  CHECK(sum_s(slower.parts) == Approx(slower.iteration_s));
  CHECK(slower.parts.unexplained_s == Approx(0.1 * transfer_s)); // the other parts are the mechanisms' own
}

TEST_CASE("one GPU alone is compute alone", "[step]") {
  const SmallCluster small;
  auto setup = small.setup(StrategyName::ring, 1);
  setup.synchronised = false;
  auto sample = small.sample;
  sample.sync_on_s = 1;
  CHECK(time_step(setup, sample, Fidelity::full).iteration_s == Approx(0.3));
}

// Push and pull of 100 MB at 1 GB/s are two stations of 0.1 s in a ring: n customers need (n + 1) x 0.1 s, less the
// little that compute takes from the queues.
TEST_CASE("asynchronous servers: nobody straggles, and a saturated server gives its rate over the model", "[step]") {
  const SmallCluster small;
  auto sample = small.sample;
  sample.step_spread = 0.05;
  sample.sync_on_s = 0.01;
  auto setup = small.setup(StrategyName::ps_async, 32);
  setup.strategy.servers = {ServerCount::Rule::count, 1};
  setup.strategy.placement = Placement::dedicated;
  const auto time = time_step(setup, sample, Fidelity::formula);
  CHECK(time.iteration_s == Approx(33 * 0.1).epsilon(0.02));
  CHECK(time.parts.straggling_s == 0);
  CHECK(time.parts.synchronisation_s == Approx(0.01));
  CHECK(time.mean_staleness > 0);
  CHECK(time.mean_staleness < 31);
  CHECK(time.bottleneck == "server-link");
  setup.gpus = setup.gpus_per_node = 2; // one worker: a full run of more takes a sanitizer build minutes
  setup.strategy.on_node_reduce = true;
  const double full_s = time_step(setup, sample, Fidelity::full).iteration_s;
  CHECK(time_step(setup, sample, Fidelity::by_default).iteration_s == Approx(full_s).epsilon(0.03)); // as promised
  CHECK(time_step(small.setup(StrategyName::ps, 4), sample, Fidelity::formula).mean_staleness == 0);
}

TEST_CASE("asynchronous servers: GPUs that sum on their node first are one worker", "[step]") {
  const SmallCluster small;
  auto setup = small.setup(StrategyName::ps_async, 8);
  setup.gpus_per_node = 4;
  setup.strategy.servers = {ServerCount::Rule::count, 1};
  setup.strategy.placement = Placement::dedicated;
  setup.strategy.on_node_reduce = true;
  CHECK(time_step(setup, small.sample, Fidelity::formula).mean_staleness < 1);
  setup.strategy.on_node_reduce = false;
  CHECK(time_step(setup, small.sample, Fidelity::formula).mean_staleness > 3);
}

TEST_CASE("more bandwidth is never slower, more latency never faster", "[step][property]") {
  const SmallCluster small;
  for (const StrategyName strategy : {StrategyName::ring, StrategyName::hierarchical_ring, StrategyName::tree,
                                      StrategyName::halving_doubling, StrategyName::ps, StrategyName::ps_async}) {
    auto setup = small.setup(strategy, 6);
    setup.strategy.servers = {ServerCount::Rule::per_node, 1};
    double last_s = 1e9;
    for (const double efficiency : {0.1, 0.2, 0.5, 1.0, 2.0}) {
      auto sample = small.sample;
      sample.nic_efficiency = efficiency;
      const double now_s = time_step(setup, sample, Fidelity::formula).iteration_s;
      CHECK(now_s <= last_s * (1 + 1e-12));
      last_s = now_s;
    }
    double slowest_s = 0;
    for (const double latency_s : {0.0, 1e-6, 1e-4, 1e-2}) {
      auto sample = small.sample;
      sample.net_latency_s = latency_s;
      const double now_s = time_step(setup, sample, Fidelity::formula).iteration_s;
      CHECK(now_s >= slowest_s * (1 - 1e-12));
      slowest_s = now_s;
    }
  }
}

TEST_CASE("an input pipeline that is too slow is waited for, and named", "[step]") {
  const SmallCluster small;
  auto setup = small.setup(StrategyName::ring, 4);
  const auto without = time_step(setup, small.sample, Fidelity::by_default);
  setup.input = {100e3, 5, 0}; // 10 samples an iteration at 5 a second: 2 s
  const auto starved = time_step(setup, small.sample, Fidelity::by_default);
  CHECK(starved.iteration_s == Approx(2.0));
  CHECK(starved.parts.input_wait_s == Approx(2.0 - without.iteration_s));
  CHECK(starved.bottleneck == "input");
  setup.input = {100e3, 1000, 0}; // quick enough: hidden behind the iteration
  CHECK(time_step(setup, small.sample, Fidelity::by_default).iteration_s == without.iteration_s);
  setup.input = {100e3, 0, 1e6}; // 4 nodes read 4 MB at 1 MB/s together
  CHECK(time_step(setup, small.sample, Fidelity::by_default).iteration_s == Approx(4.0));
  setup.gpus = 1;
  setup.synchronised = false;
  CHECK(time_step(setup, small.sample, Fidelity::by_default).iteration_s == Approx(1.0)); // one GPU starves too
}

TEST_CASE("a hash places tensors by an order that each sample draws, and nobody's order is the middle of nine",
          "[step]") {
  SmallCluster small;
  small.model.layers.clear();
  for (int i = 0; i < 60; ++i) { // large ones among small ones: orders of equal tensors are alike
    const double size_bytes = i % 3 == 0 ? 4e6 : 4e3;
    small.model.layers.push_back({"fc" + std::to_string(i), "linear", 1e8, 0, {{"weight", {1}, size_bytes}}});
  }
  auto setup = small.setup(StrategyName::ps, 8);
  setup.strategy.servers = {ServerCount::Rule::count, 8};
  setup.strategy.placement = Placement::dedicated;
  setup.strategy.sharding = Sharding::hash;
  const auto time_s = [&](std::optional<std::uint64_t> order) {
    auto sample = small.sample;
    sample.key_order = order;
    return time_step(setup, sample, Fidelity::formula).iteration_s;
  };
  std::vector<double> times_s;
  for (std::uint64_t order = 1; order <= 9; ++order) times_s.push_back(time_s(order));
  std::sort(times_s.begin(), times_s.end());
  CHECK(times_s.front() < 0.95 * times_s.back());
  CHECK(time_s({}) > times_s.front());
  CHECK(time_s({}) < times_s.back());
  setup.strategy.sharding = Sharding::bytes;
  CHECK(time_s({}) == time_s(1));
}

} // namespace ddlsim
