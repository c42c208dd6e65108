// Hybrid sharding: parameters are gathered in a group, gradients scattered there and summed across groups.

#include "sim/iteration/execution.hpp"
#include "sim/iteration/hybrid_shards.hpp"
#include "sim/iteration/iteration_graph.hpp"
#include "sim/iteration/memory_fit.hpp"
#include "sim/iteration/peak_memory.hpp"
#include "sim/iteration/sharded_graph.hpp"
#include "tests/iteration/fixed_times.hpp"
#include "tests/predict/even_model.hpp"

#include <catch2/catch.hpp>

#include <map>

namespace ddlsim {
namespace {

/// Three blocks of 100 parameters, a byte each way, F 1 s and B 2 s each; two groups of two ranks.
Graph graph_of_groups(int micro_batches = 1, int group = 2) {
  constexpr double third = 1.0 / 3;
  const UnitShape shape{{{"root", 0}, {"block0", 100}, {"block1", 100}, {"block2", 100}},
                        {{1, third, third, 0}, {2, third, third, 0}, {3, third, third, 0}}};
  Machine machine;
  machine.ranks = 4;
  ShardedOptions options;
  options.micro_batches = micro_batches;
  Graph graph = fsdp_graph(shape, {3, 6}, options, {1, 1}, machine, group);
  if (group == machine.ranks) return graph;
  graph.hybrid.emplace();
  graph.hybrid->shards.machine.ranks = graph.hybrid->replicas.machine.ranks = 2;
  return graph;
}

/// A gather or a scatter of a block takes a second, and what two ranks sum of it, half as much, `sum_s`.
Execution run_groups(const Graph& graph, double sum_s) {
  FixedTimes executor;
  executor.all_reduce_s = [sum_s](double size_bytes) { return size_bytes == 50 ? sum_s : size_bytes / 100; };
  return execute(graph, executor);
}

std::vector<std::pair<double, double>> spans_of(const Graph& graph, const Execution& execution, OperationKind kind) {
  std::vector<std::pair<double, double>> spans;
  for (std::size_t i = 0; i < graph.operations.size(); ++i)
    if (graph.operations[i].kind == kind) spans.emplace_back(execution.spans[i].start_s, execution.spans[i].end_s);
  return spans;
}

} // namespace

TEST_CASE("a group sums its parts with the other groups behind each scatter, beside what follows",
          "[sharded][hybrid]") {
  // As fsdp among two ranks: scatters at 6-7, 8-9 and 10-11.
  const auto graph = graph_of_groups();
  const auto quick = run_groups(graph, 0.5);
  CHECK(spans_of(graph, quick, OperationKind::reduce_scatter) ==
        std::vector<std::pair<double, double>>{{6, 7}, {8, 9}, {10, 11}});
  CHECK(spans_of(graph, quick, OperationKind::all_reduce) ==
        std::vector<std::pair<double, double>>{{7, 7.5}, {9, 9.5}, {11, 11.5}});
  CHECK(quick.end_s == 11.5);
  const auto slow = run_groups(graph, 5); // one after another; gathers and scatters do not wait for them
  CHECK(spans_of(graph, slow, OperationKind::reduce_scatter) ==
        std::vector<std::pair<double, double>>{{6, 7}, {8, 9}, {10, 11}});
  CHECK(spans_of(graph, slow, OperationKind::all_reduce) ==
        std::vector<std::pair<double, double>>{{7, 12}, {12, 17}, {17, 22}});
}

TEST_CASE("every micro-batch sums what it scattered, a group's part of it", "[sharded][hybrid]") {
  std::map<OperationKind, double> bytes;
  for (const auto& operation : graph_of_groups(3).operations) bytes[operation.kind] += operation.size_bytes;
  CHECK(bytes[OperationKind::all_gather] == 3 * 2 * 300);
  CHECK(bytes[OperationKind::reduce_scatter] == 3 * 300);
  CHECK(bytes[OperationKind::all_reduce] == 3 * 300 / 2);
  for (const auto& operation : graph_of_groups(3, 4).operations) CHECK(operation.kind != OperationKind::all_reduce);
}

TEST_CASE("sums slow compute as gathers and scatters do, and both together no more", "[sharded][hybrid]") {
  auto plain = graph_of_groups(2, 4);
  auto hybrid = graph_of_groups(2);
  plain.interference = hybrid.interference = 0.25;
  CHECK(run_groups(hybrid, 0).end_s == Approx(run_groups(plain, 0).end_s));
  // Sums from the first scatter's end on for ever: all compute behind it takes a quarter longer.
  const auto endless = run_groups(hybrid, 1000);
  double first_s = 1e9;
  for (const auto& [start_s, end_s] : spans_of(hybrid, endless, OperationKind::all_reduce))
    first_s = std::min(first_s, start_s);
  for (std::size_t i = 0; i < hybrid.operations.size(); ++i)
    if (hybrid.operations[i].kind == OperationKind::compute && endless.spans[i].start_s >= first_s)
      CHECK(endless.spans[i].end_s - endless.spans[i].start_s == Approx(1.25 * hybrid.operations[i].duration_s));
}

namespace {

/// Eight layers of 1 MB of parameters in no block, on nodes of two GPUs: gathered before forward, scattered at the end.
struct OneUnit : EvenModel {
  OneUnit() : EvenModel(8) { cluster.gpus_per_node = 2; }

  StepSetup on(int gpus, int group) const {
    auto asked = setup(StrategyName::fsdp, gpus);
    asked.gpus_per_node = std::min(gpus, 2);
    asked.strategy.sharded.shard_group = group;
    return asked;
  }
};

} // namespace

TEST_CASE("groups of a node gather and scatter inside it, and sum over shared NICs", "[sharded][hybrid]") {
  // Half of 8 MB at 1 GB/s inside a node, twice; then a ring of two nodes sums 4 MB: two steps of 2 MB over half a NIC
  // of 1 GB/s, with 1 ms each.
  const OneUnit model;
  for (const auto fidelity : {Fidelity::formula, Fidelity::by_default}) {
    for (const int group : {2, ShardedOptions::a_node}) {
      const auto time = time_step(model.on(4, group), model.sample, fidelity);
      CHECK(time.parts.exposed_communication_s == Approx(2 * 0.004 + 2 * (0.004 + 0.001)).epsilon(1e-6));
      CHECK((time.simgrid_messages > 0) == (fidelity != Fidelity::formula));
    }
    const auto all = time_step(model.on(4, ShardedOptions::all_ranks), model.sample, fidelity);
    CHECK(all.parts.exposed_communication_s ==
          time_step(model.on(4, 4), model.sample, fidelity).parts.exposed_communication_s);
    CHECK(all.parts.exposed_communication_s ==
          time_step(model.on(4, 8), model.sample, fidelity).parts.exposed_communication_s);
  }
  CHECK_THROWS_WITH(time_step(model.on(4, 2), model.sample, Fidelity::full), Catch::Contains("not run one by one"));
}

TEST_CASE("a group holds what all ranks would, were there no others", "[sharded][hybrid][memory]") {
  EvenModel even(8);
  auto asked = even.setup(StrategyName::fsdp, 64);
  asked.precision = Precision::bf16;
  asked.batch_per_gpu = 8;
  const auto need = [&](int group, int gpus, int per_node = 8) {
    asked.strategy.sharded.shard_group = group;
    asked.gpus = gpus;
    asked.gpus_per_node = per_node;
    return peak_memory(asked).total();
  };
  for (const int group : {2, 4, 8, 16}) {
    CHECK(need(group, 64) == need(ShardedOptions::all_ranks, group));
    CHECK(need(ShardedOptions::a_node, 64, group) == need(ShardedOptions::all_ranks, group));
    CHECK(need(group, 2) == need(ShardedOptions::all_ranks, 2));
  }
  even.model.parameters = 4e9; // 16 bytes each: 30 GiB of a group of 2, 1 of all
  even.gpu.memory_bytes = 16e9;
  need(2, 64);
  CHECK_THAT(memory_complaint(asked), Catch::Contains("no \"shard_group\""));
}

TEST_CASE("groups follow each other, and their like shares NICs and uplinks", "[sharded][hybrid][layout]") {
  Machine machine; // eight nodes of eight ranks, leaves of two
  machine.ranks = 64;
  machine.ranks_per_node = 8;
  machine.nic_Bps = 80e9;
  machine.nodes_per_leaf = 2;
  machine.uplink_Bps = 160e9;
  CHECK(machine_of_shards(machine, 8).nodes() == 1);
  CHECK(machine_of_shards(machine, 32).nodes() == 4);
  CHECK(machine_of_shards(machine, 32).uplink_Bps == 160e9);
  const auto of_nodes = machine_of_shard_replicas(machine, 8);
  CHECK(of_nodes.ranks == 8);
  CHECK(of_nodes.nodes() == 8);
  CHECK(of_nodes.nic_Bps == 10e9);
  CHECK(of_nodes.uplink_Bps == 20e9);
  const auto of_halves = machine_of_shard_replicas(machine, 4); // two a node
  CHECK(of_halves.ranks == 16);
  CHECK(of_halves.nodes() == 8);
  CHECK(of_halves.nic_Bps == 20e9);
  const auto of_leaves = machine_of_shard_replicas(machine, 16); // sixteen sets pass an uplink
  CHECK(of_leaves.ranks == 4);
  CHECK(of_leaves.nodes_per_leaf == 1);
  CHECK(of_leaves.uplink_Bps == 10e9);
  machine.nodes_per_leaf = 3;
  const auto straddles = machine_of_shards(machine, 16);
  CHECK(straddles.nodes_per_leaf == 1);
  CHECK(straddles.uplink_Bps == 80e9);
  CHECK(shard_complaint(8, 64, 8).empty());
  CHECK(shard_complaint(8, 4, 8).empty()); // one group, of all
  CHECK(shard_complaint(3, 6, 8).empty()); // on one node
  CHECK_THAT(shard_complaint(8, 12, 8), Catch::Contains("give a multiple of 8"));
  CHECK_THAT(shard_complaint(3, 24, 8), Catch::Contains("nodes of 8 unevenly"));
  CHECK(most_gpus_in_groups(8, 31) == 24);
  CHECK(most_gpus_in_groups(8, 5) == 5);
}

} // namespace ddlsim
