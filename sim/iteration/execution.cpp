#include "sim/iteration/execution.hpp"

#include "sim/base/error.hpp"
#include "sim/iteration/graph_pass.hpp"
#include "sim/simgrid/engine_choice.hpp"

#include <algorithm>
#include <utility>

namespace ddlsim {
namespace {

bool has(const Graph& graph, OperationKind kind) {
  return std::any_of(graph.operations.begin(), graph.operations.end(),
                     [&](const Operation& operation) { return operation.kind == kind; });
}

bool has_collectives(const Graph& graph) {
  const auto is_of_collectives = [](const Stream& stream) { return stream.kind == StreamKind::collectives; };
  if (std::none_of(graph.streams.begin(), graph.streams.end(), is_of_collectives)) return false;
  return std::any_of(graph.operations.begin(), graph.operations.end(),
                     [&](const Operation& operation) { return is_collective(graph, operation); });
}

Execution pass_over(const Graph& graph, const CollectiveClock& clock, const Executor& executor) {
  GraphPass pass(graph, clock, executor);
  return pass.finish(executor);
}

/// The collectives that a pass ran, in order.
std::vector<CollectiveRun> runs_of(const Graph& graph, const Execution& execution) {
  CollectiveRunner runner(graph);
  std::vector<CollectiveRun> runs;
  for (const auto& collective : execution.collectives)
    runs.push_back({&runner.machine_for(graph.operations[collective.first].kind), collective.cost});
  return runs;
}

/// Times the collectives of `by_formula` on SimGrid. It repeats this as long as a pass with these times runs other
/// collectives.
Execution execute_on_simgrid(const Graph& graph, Execution by_formula, Fidelity requested, Choice& choice) {
  constexpr int most_passes = 3; // one pass is enough unless the fused tensors change
  Execution execution = std::move(by_formula);
  double messages = 0;
  TimedCollectives timed;
  for (int pass = 0; pass < most_passes; ++pass) {
    const auto runs = runs_of(graph, execution);
    choice = {};
    const auto simulated = time_collectives(runs, requested, choice, &timed);
    messages += simulated.messages;
    if (timed.empty()) break;
    execution = pass_over(graph, clock_of(runs, simulated.times_s), executor_of(Engine::formula));
    if (runs_of(graph, execution) == runs) break;
  }
  execution.simgrid_messages += messages;
  return execution;
}

Execution execute_collectives(const Graph& graph, Fidelity requested, Choice& choice) {
  if (graph.hybrid && requested == Fidelity::full)
    throw UserError("--fidelity", "", "what hybrid sharding sends is not run one by one; leave --fidelity away");
  auto execution = pass_over(graph, clock_by_formula(), executor_of(Engine::formula));
  if (graph.machine.ranks == 1) return execution;
  if (requested != Fidelity::formula) return execute_on_simgrid(graph, std::move(execution), requested, choice);
  choice = choose_formula(runs_of(graph, execution));
  return execution;
}

Execution execute_servers(const Graph& graph, Fidelity requested, Choice& choice) {
  GraphPass pass(graph, clock_by_formula(), executor_of(Engine::formula));
  pass.run_until_shards();
  const auto& exchange = pass.next_exchange();
  choice = graph.servers.asynchronous
               ? choose_async_servers(graph.machine, graph.servers.machine, {exchange}, requested)
               : choose_server_exchange(graph.machine, graph.servers.machine, exchange, requested);
  const Executor& executor = executor_of(choice.engine);
  return choice.engine == Engine::formula ? pass.finish(executor) : execute(graph, executor);
}

/// One pair stands for all pairs that send at the same time, so a full run of every message is refused.
Execution execute_transfers(const Graph& graph, Fidelity requested, Choice& choice) {
  if (requested == Fidelity::full)
    throw UserError("--fidelity", "", "what model parallelism sends is not run one by one; leave --fidelity away");
  return run_transfers(
      graph, [&](const std::vector<CollectiveRun>& runs) { return time_collectives(runs, requested, choice); });
}

} // namespace

Execution execute(const Graph& graph, const Executor& executor) {
  if (!graph.groups.empty()) return run_transfers(graph, executor);
  double messages = 0;
  auto execution = pass_over(graph, clock_by(executor, messages), executor);
  execution.simgrid_messages += messages;
  return execution;
}

Execution execute(const Graph& graph, Fidelity requested, Choice& choice) {
  choice = {};
  if (!graph.groups.empty()) return execute_transfers(graph, requested, choice);
  if (has_collectives(graph)) return execute_collectives(graph, requested, choice);
  if (has(graph, OperationKind::push_pull)) return execute_servers(graph, requested, choice);
  if (graph.path_Bps > 0) choice = choose_paths(requested);
  return execute(graph, executor_of(choice.engine));
}

ServerExchange find_exchange(const Graph& graph) {
  GraphPass pass(graph, clock_by_formula(), executor_of(Engine::formula));
  pass.run_until_shards();
  return pass.next_exchange();
}

} // namespace ddlsim
