// Whole iterations, groups overlapped with backward: what the quicker ways of running say against the full simulation.

#include "sim/base/error.hpp"
#include "tests/predict/small_cluster.hpp"
#include "tests/simgrid/scale.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace ddlsim {
namespace {

/// The promise of the project for an iteration put together from steps.
constexpr double promised_iteration = 1e-4;

struct Layout {
  int gpus = 2;
  int gpus_per_node = 1;
  bool in_leaves = false; ///< a blocking fat-tree of 3 nodes a leaf
  bool slow = false;      ///< a node with 1.3 times the compute time and half the NIC
};

/// Several layers, unlike in size, so that several groups and shards are under way beside backward.
struct LayeredCluster : SmallCluster {
  explicit LayeredCluster(const Layout& layout) {
    model.layers.clear();
    for (const double parameters : {3e5, 5e4, 2.4e6, 1e6, 6e6}) {
      const auto count = static_cast<std::int64_t>(parameters);
      model.layers.push_back({"fc", "linear", 40 * parameters, 0, {{"weight", {count}, 4 * parameters}}});
    }
    cluster.gpus_per_node = layout.gpus_per_node;
    cluster.intra = {IntraKind::nvlink_mesh, 8e9, 2e-6};
    if (layout.in_leaves) cluster.fabric = {FabricKind::fat_tree, 3, 2, 0};
    preset.overlapped = true;
    preset.first_bucket_bytes = 1e6;
    preset.bucket_bytes = 8e6;
    preset.cycle_s = 3e-3;
    sample.net_latency_s = 2e-5;
    sample.operation_cost_s = 5e-5;
  }
};

StepSetup setup_of(const LayeredCluster& small, const Layout& layout, const Strategy& strategy) {
  auto setup = small.setup(strategy.name, layout.gpus);
  setup.strategy = strategy;
  setup.gpus_per_node = std::min(layout.gpus, layout.gpus_per_node);
  setup.one_gpu_s = 0.05;
  if (layout.slow) setup.slow_node = {1.3, 0.5};
  return setup;
}

std::vector<Layout> layouts() {
  std::vector<Layout> list;
  for (const int per_node : {1, 4, 8}) {
    for (const int gpus : {2, 5, 8, 16, 20, 32, 64}) {
      if (gpus > most_ranks) continue;
      for (const bool in_leaves : {false, true}) {
        for (const bool slow : {false, true}) list.push_back({gpus, per_node, in_leaves, slow});
      }
    }
  }
  return list;
}

Strategy servers(ServerCount count, Placement placement, Sharding sharding, bool reduce) {
  Strategy strategy;
  strategy.name = StrategyName::ps;
  strategy.servers = count;
  strategy.placement = placement;
  strategy.sharding = sharding;
  strategy.on_node_reduce = reduce;
  return strategy;
}

std::vector<Strategy> strategies() {
  std::vector<Strategy> list;
  for (const StrategyName name :
       {StrategyName::ring, StrategyName::hierarchical_ring, StrategyName::tree, StrategyName::halving_doubling}) {
    list.emplace_back();
    list.back().name = name;
  }
  list.push_back(servers({ServerCount::Rule::count, 1}, Placement::dedicated, Sharding::bytes, true));
  list.push_back(servers({ServerCount::Rule::count, 3}, Placement::dedicated, Sharding::round_robin, false));
  list.push_back(servers({ServerCount::Rule::per_node, 1}, Placement::colocated, Sharding::split, true));
  return list;
}

std::string text_of(const Layout& layout, const Strategy& strategy) {
  return to_text(strategy) + " on " + std::to_string(layout.gpus) + " GPUs, " + std::to_string(layout.gpus_per_node) +
         " a node" + (layout.in_leaves ? ", leaves" : "") + (layout.slow ? ", a slow node" : "");
}

} // namespace

TEST_CASE("an iteration: by symmetry = full for every strategy and layout that has classes, a tree within its gap",
          "[full][symmetry]") {
  int alike = 0;
  for (const auto& layout : layouts()) {
    const LayeredCluster base(layout);
    for (const auto& strategy : strategies()) {
      for (const Grouping grouping : {Grouping::buckets, Grouping::fusion}) {
        if (grouping == Grouping::fusion && strategy.name == StrategyName::ps)
          continue; // servers take tensor by tensor
        LayeredCluster small = base;
        small.preset.grouping = grouping;
        const auto setup = setup_of(small, layout, strategy);
        INFO(text_of(layout, strategy) << ", " << to_text(grouping));
        StepTime time;
        try {
          time = time_step(setup, small.sample, Fidelity::by_symmetry);
        } catch (const UserError&) {
          continue; // refused: tests/simgrid/fidelity_selection_test.cpp says why
        }
        ++alike;
        CHECK((setup.gpus == 1 || time.simgrid_messages > 0));
        const double full_s = time_step(setup, small.sample, Fidelity::full).iteration_s;
        CHECK(full_s >= time.iteration_s * (1 + time.choice.faster - promised_iteration));
        CHECK(full_s <= time.iteration_s * (1 + time.choice.slower + promised_iteration));
        CHECK((strategy.name == StrategyName::tree || time.choice.faster == time.choice.slower)); // one class is exact
      }
    }
  }
  CHECK(alike > (most_ranks > 8 ? 200 : 60));
}

TEST_CASE("an iteration: automatic is full, or exact, or says how far full may be", "[full]") {
  for (const auto& layout : layouts()) {
    if (layout.gpus != 2 && layout.gpus != 5 && layout.gpus != 20) continue; // enough of them
    LayeredCluster small(layout);
    small.preset.grouping = Grouping::per_tensor;
    for (const auto& strategy : strategies()) {
      const auto setup = setup_of(small, layout, strategy);
      const auto full = time_step(setup, small.sample, Fidelity::full);
      INFO(text_of(layout, strategy));
      const auto automatic = time_step(setup, small.sample, Fidelity::automatic);
      CHECK(automatic.choice.why.empty()); // small enough for no approximation
      CHECK(automatic.iteration_s == Approx(full.iteration_s).epsilon(promised_iteration));
      const auto screening = time_step(setup, small.sample, Fidelity::screening);
      const double exposed_s = screening.exposed_communication_s;
      CHECK(full.iteration_s >=
            screening.iteration_s + screening.choice.faster * (exposed_s + screening.compute_s) - 1e-9);
      CHECK(full.iteration_s <= screening.iteration_s * (1 + std::max(screening.choice.slower, promised_iteration)));
    }
  }
}

TEST_CASE("a slow node: all wait for its compute, and its NIC narrows the ring", "[step]") {
  const LayeredCluster small({8, 1, false, true});
  auto setup = setup_of(small, {8, 1, false, true}, strategies()[0]);
  const auto slow = time_step(setup, small.sample, Fidelity::automatic);
  setup.slow_node = {};
  const auto alike = time_step(setup, small.sample, Fidelity::automatic);
  CHECK(slow.straggling_s == Approx(0.3 * alike.compute_s));
  CHECK(slow.compute_s == alike.compute_s);
  CHECK(slow.iteration_s > alike.iteration_s + slow.straggling_s);
  setup.slow_node = {1.3, 0.5};
  setup.gpus = 1;
  setup.gpus_per_node = 1;
  CHECK(time_step(setup, small.sample, Fidelity::automatic).straggling_s == 0); // a job on one node has it not
}

} // namespace ddlsim
