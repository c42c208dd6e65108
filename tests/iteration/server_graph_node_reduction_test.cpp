#include "sim/iteration/execution.hpp"
#include "sim/iteration/server_graph.hpp"
#include "tests/iteration/fixed_times.hpp"

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

/// A graph of backward, at whose end all tensors are ready, and their sums in the order given.
Graph graph_of_reductions(const NodeReduction& node, double backward_s, const std::vector<std::size_t>& order) {
  Graph graph;
  graph.path_Bps = node.rate_Bps;
  add_role(graph, "worker", 4);
  const auto backward =
      add_operation(graph, {OperationKind::compute, add_stream(graph, StreamKind::compute, 0), backward_s});
  for (int path = 0; path < node.paths; ++path) add_stream(graph, StreamKind::path, 0, path);
  for (const std::size_t tensor : order)
    add_operation(graph, {node.reduce, 1 + node.path[tensor], 0, node.passing_bytes[tensor]}, {backward});
  return graph;
}

/// When each is summed, in the order given.
std::vector<double> summed_s(const Graph& graph) {
  const auto& executor = executor_of(GENERATE(Engine::formula, Engine::classes));
  std::vector<double> ends_s;
  for (const Span& span : execute(graph, executor).spans) ends_s.push_back(span.end_s);
  ends_s.erase(ends_s.begin()); // backward
  return ends_s;
}

} // namespace

TEST_CASE("a reduce-scatter moves (g - 1) / g of each tensor over one path, beside backward", "[on_node]") {
  const auto node = plan_node_reduction(that_does(NodeReduce::reduce_scatter), four_gpus(), {4e9, 2e9});
  CHECK_FALSE(node.after_backward);
  const auto ends_s = summed_s(graph_of_reductions(node, 0, {1, 0}));
  CHECK(ends_s[0] == Approx(1.5));
  CHECK(ends_s[1] == Approx(1.5 + 3));
}

TEST_CASE("ps-lite sums a tensor on one GPU, the largest alone behind its path", "[on_node]") {
  const auto node = plan_node_reduction(that_does(NodeReduce::one_gpu), four_gpus(), {1e9, 4e9, 2e9, 1e9, 1e9, 1e9});
  CHECK(node.after_backward);
  const auto ends_s = summed_s(graph_of_reductions(node, 10, {0, 1, 2, 3, 4, 5}));
  CHECK(ends_s[1] == Approx(10 + 3 * 4)); // three other GPUs copy 4 GB
  CHECK(ends_s[2] == Approx(10 + 3 * 2));
  CHECK(ends_s[4] == Approx(10 + 3 * (1 + 1))); // on the path of another 1 GB
}

TEST_CASE("one GPU has nothing to sum, and every further one adds the largest tensor again", "[on_node]") {
  Machine machine = four_gpus();
  machine.ranks = machine.ranks_per_node = 1;
  CHECK(plan_node_reduction(that_does(NodeReduce::one_gpu), machine, {4e9}).rate_Bps == 0);
  for (const int gpus : {2, 3, 8}) {
    machine.ranks_per_node = gpus;
    const auto node = plan_node_reduction(that_does(NodeReduce::one_gpu), machine, {4e9});
    CHECK(node.passing_bytes[0] / node.rate_Bps == Approx(4.0 * (gpus - 1)));
  }
}

TEST_CASE("what is pulled comes back to all GPUs tensor by tensor, each after its last shard", "[on_node]") {
  const auto node = plan_node_reduction(that_does(NodeReduce::reduce_scatter), four_gpus(), {4e9, 2e9});
  Graph graph = graph_of_reductions(node, 0, {});
  const std::size_t connection = add_stream(graph, StreamKind::connection, 0);
  for (const int tensor : {0, 0, 1})
    add_operation(graph, {OperationKind::push_pull, connection, 0, 2e9, tensor, 1}, {0});
  const auto add_back = [&](std::size_t tensor) {
    return add_operation(graph, {node.spread, 1 + node.path[tensor], 0, node.passing_bytes[tensor]});
  };
  add_back(0);
  wait_for(graph, 1);
  wait_for(graph, 2);
  add_back(1);
  wait_for(graph, 3);
  FixedTimes executor;
  executor.pulled_s = {1, 6, 2};
  CHECK(execute(graph, executor).end_s == Approx(6 + 3)); // tensor 1 is back at 3.5
  executor.pulled_s = {1, 2, 2};
  CHECK(execute(graph, executor).end_s == Approx(2 + 3 + 1.5));
}

TEST_CASE("an exchange that follows another is one of its own", "[graph]") {
  Graph graph = graph_of_reductions({}, 1, {});
  const std::size_t connection = add_stream(graph, StreamKind::connection, 0);
  const Operation shard{OperationKind::push_pull, connection, 0, 2e9, 0, 1};
  const std::size_t first = add_operation(graph, shard, {0});
  const std::size_t between = add_operation(graph, {OperationKind::compute, 0, 2}, {first});
  const std::size_t second = add_operation(graph, shard, {between});
  FixedTimes executor;
  executor.pulled_s = {5};
  const auto execution = execute(graph, executor);
  CHECK(execution.spans[first].end_s == 5);
  CHECK(execution.spans[between].end_s == 5 + 2);
  CHECK(execution.spans[second].start_s == 5 + 2); // not the first one's 1
}

} // namespace ddlsim
