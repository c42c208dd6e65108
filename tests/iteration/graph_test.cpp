#include "sim/iteration/execution.hpp"
#include "sim/iteration/iteration_graph.hpp"
#include "tests/predict/random_scenario.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace ddlsim {
namespace {

constexpr std::uint64_t graphs = 200;
constexpr double span_rounding = 1e-12;

Graph graph_of(const RandomScenario& random, const StepSetup& setup) {
  return iteration_graph(setup, communication_inputs(setup, random.sample), backward_shape_of(setup));
}

/// Any strategy, any grouping, with a slow node, input, interference and sums inside the node in some.
struct RandomIteration {
  explicit RandomIteration(std::uint64_t seed) : random(seed), setup(random.setup()) {
    random.sample.interference = seed % 3 == 0 ? 0.3 : 0;
    random.sample.operation_cost_s = 1e-5;
    setup.strategy.on_node_reduce = seed % 2 == 0;
    setup.input = {100e3, 1e4, 0};
    if (seed % 5 == 0) setup.slow_node.compute_factor = 1.4;
    graph = graph_of(random, setup);
  }

  RandomScenario random;
  StepSetup setup;
  Graph graph;
};

/// The formula of servers knows no slow node.
const Executor& executor_for(const RandomIteration& iteration) {
  const bool has_servers = iteration.setup.strategy.name == StrategyName::ps;
  return executor_of(has_servers ? Engine::classes : Engine::formula);
}

bool runs_one_at_a_time(StreamKind kind) {
  return kind != StreamKind::connection;
}

} // namespace

TEST_CASE("no operation starts before what it waits for has ended", "[graph][property]") {
  for (std::uint64_t seed = 1; seed <= graphs; ++seed) {
    const RandomIteration iteration(seed);
    const Graph& graph = iteration.graph;
    INFO("seed " << seed << ", " << to_text(iteration.setup.strategy));
    const auto execution = execute(graph, executor_for(iteration));
    for (std::size_t i = 0; i < graph.operations.size(); ++i) {
      const Operation& operation = graph.operations[i];
      for (std::size_t w = 0; w < operation.waits; ++w) {
        const std::size_t earlier = graph.waits[operation.first_wait + w];
        CHECK(earlier < i);
        const bool of_slow_node = operation.kind == OperationKind::push_pull && w > 0; // the workers leave before it
        if (!of_slow_node) CHECK(execution.spans[i].start_s >= execution.spans[earlier].end_s * (1 - span_rounding));
        CHECK(execution.spans[i].end_s >= execution.spans[earlier].end_s * (1 - span_rounding));
      }
    }
  }
}

TEST_CASE("a stream runs one operation at a time, or several as one", "[graph][property]") {
  for (std::uint64_t seed = 1; seed <= graphs; ++seed) {
    const RandomIteration iteration(seed);
    const Graph& graph = iteration.graph;
    INFO("seed " << seed << ", " << to_text(iteration.setup.strategy));
    const auto execution = execute(graph, executor_for(iteration));
    std::map<std::size_t, std::set<std::pair<double, double>>> spans_of_stream; // fused ones share theirs
    for (std::size_t i = 0; i < graph.operations.size(); ++i)
      spans_of_stream[graph.operations[i].stream].emplace(execution.spans[i].start_s, execution.spans[i].end_s);
    for (const auto& [stream, spans] : spans_of_stream) {
      if (!runs_one_at_a_time(graph.streams[stream].kind)) continue;
      double free_s = 0;
      for (const auto& [start_s, end_s] : spans) {
        CHECK(start_s >= free_s * (1 - span_rounding));
        free_s = end_s;
      }
    }
  }
}

TEST_CASE("compute takes what one GPU takes, and longer only beside collectives", "[graph][property]") {
  for (std::uint64_t seed = 1; seed <= graphs; ++seed) {
    const RandomIteration iteration(seed);
    const Graph& graph = iteration.graph;
    INFO("seed " << seed << ", " << to_text(iteration.setup.strategy));
    const auto execution = execute(graph, executor_for(iteration));
    double alone_s = 0;
    double taken_s = 0;
    for (std::size_t i = 0; i < graph.operations.size(); ++i) {
      if (graph.operations[i].kind != OperationKind::compute) continue;
      alone_s += graph.operations[i].duration_s;
      taken_s += execution.spans[i].end_s - execution.spans[i].start_s;
    }
    double collectives_s = 0;
    for (const auto& collective : execution.collectives)
      collectives_s += collective.span.end_s - collective.span.start_s;
    CHECK(taken_s >= alone_s * (1 - span_rounding));
    const double share = graph.interference / (1 + graph.interference);
    CHECK(taken_s <= (alone_s + share * collectives_s) * (1 + span_rounding));
  }
}

TEST_CASE("the graph of an iteration ends when the iteration's parts do", "[graph]") {
  for (std::uint64_t seed = 1; seed <= graphs; ++seed) {
    const RandomIteration iteration(seed);
    INFO("seed " << seed << ", " << to_text(iteration.setup.strategy));
    Choice choice;
    const auto execution = execute(iteration.graph, Fidelity::formula, choice);
    const auto time = time_step(iteration.setup, iteration.random.sample, Fidelity::formula);
    CHECK(execution.input_end_s == needed_input_s(iteration.setup));
    if (iteration.graph.servers.asynchronous) continue; // its end is a mean over workers
    const double slowdown = slowdown_of(iteration.setup, iteration.graph.machine);
    CHECK(time.parts.exposed_communication_s ==
          Approx(execution.end_s - slowdown * time.parts.compute_s).margin(1e-12));
  }
}

} // namespace ddlsim
