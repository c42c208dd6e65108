// Whole iterations, groups overlapped with backward: what the quicker engines say against every message.

#include "tests/predict/small_cluster.hpp"
#include "tests/simgrid/formula_range.hpp"
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

namespace {

/// How far every message was found from the formulas for what the setup sends.
FormulaRange range_by_formula(const StepSetup& setup, const Parameters& sample) {
  const auto run = run_step(setup, sample, Fidelity::formula);
  if (run.choice.is_exact) return {};
  const Machine& machine = run.graph.machine;
  if (is_parameter_server(setup.strategy.name)) return range_of_servers_with(machine);
  const auto largest = time_step(setup, sample, Fidelity::formula).largest_collective.value();
  return formula_range(machine, largest.collective.algorithm, largest.size_bytes);
}

} // namespace

TEST_CASE("an iteration: one of each class = full for every strategy and layout that has classes", "[full][symmetry]") {
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
        const auto time = time_step(setup, small.sample, Fidelity::by_default);
        if (time.choice.engine != Engine::classes) continue; // tests/simgrid/engine_choice_test.cpp says why
        ++alike;
        CHECK((setup.gpus == 1 || time.simgrid_messages > 0));
        const double full_s = time_step(setup, small.sample, Fidelity::full).iteration_s;
        CHECK(full_s == Approx(time.iteration_s).epsilon(promised_iteration));
        CHECK(time.choice.is_exact);
      }
    }
  }
  CHECK(alike > (most_ranks > 8 ? 200 : 60));
}

TEST_CASE("an iteration: the default is every message where these are few, and formulas are in the range found",
          "[full]") {
  for (const auto& layout : layouts()) {
    if (layout.gpus != 2 && layout.gpus != 5 && layout.gpus != 20) continue; // enough of them
    LayeredCluster small(layout);
    small.preset.grouping = Grouping::per_tensor;
    for (const auto& strategy : strategies()) {
      const auto setup = setup_of(small, layout, strategy);
      const auto full = time_step(setup, small.sample, Fidelity::full);
      INFO(text_of(layout, strategy));
      const auto by_default = time_step(setup, small.sample, Fidelity::by_default);
      CHECK(by_default.choice.why.empty()); // small enough for no approximation
      CHECK(by_default.choice.is_exact);
      CHECK(by_default.iteration_s == Approx(full.iteration_s).epsilon(promised_iteration));
      const auto formula = time_step(setup, small.sample, Fidelity::formula);
      const auto range = range_by_formula(setup, small.sample);
      const double sent_s = formula.parts.exposed_communication_s + formula.parts.compute_s;
      CHECK(full.iteration_s >= formula.iteration_s + range.faster * sent_s - 1e-9);
      CHECK(full.iteration_s <= formula.iteration_s * (1 + std::max(range.slower, promised_iteration)));
    }
  }
}

TEST_CASE("a slow node: all wait for its compute, and its NIC narrows the ring", "[step]") {
  const LayeredCluster small({8, 1, false, true});
  auto setup = setup_of(small, {8, 1, false, true}, strategies()[0]);
  const auto slow = time_step(setup, small.sample, Fidelity::by_default);
  setup.slow_node = {};
  const auto alike = time_step(setup, small.sample, Fidelity::by_default);
  CHECK(slow.parts.straggling_s == Approx(0.3 * alike.parts.compute_s));
  CHECK(slow.parts.compute_s == alike.parts.compute_s);
  CHECK(slow.iteration_s > alike.iteration_s + slow.parts.straggling_s);
  setup.slow_node = {1.3, 0.5};
  setup.gpus = 1;
  setup.gpus_per_node = 1;
  CHECK(time_step(setup, small.sample, Fidelity::by_default).parts.straggling_s == 0); // a job on one node has it not
}

} // namespace ddlsim
