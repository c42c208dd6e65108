#include "sim/iteration/execution.hpp"

#include "sim/base/error.hpp"
#include "sim/iteration/graph_pass.hpp"
#include "sim/iteration/sum_executor.hpp"
#include "sim/simgrid/fidelity_selection.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

bool has(const Graph& graph, OperationKind kind) {
  return std::any_of(graph.operations.begin(), graph.operations.end(),
                     [&](const Operation& operation) { return operation.kind == kind; });
}

bool has_collectives(const Graph& graph) {
  return std::any_of(graph.operations.begin(), graph.operations.end(),
                     [&](const Operation& operation) { return is_collective(graph, operation); });
}

ExpectedSizes sizes_as_they_are(const Graph& graph) {
  ExpectedSizes sizes_bytes;
  for (const auto& operation : graph.operations)
    if (is_collective(graph, operation)) sizes_bytes[operation.kind].push_back(operation.size_bytes);
  return sizes_bytes;
}

ExpectedSizes sizes_that_ran(const Graph& graph, const Execution& execution) {
  ExpectedSizes sizes_bytes;
  for (const auto& collective : execution.collectives)
    sizes_bytes[graph.operations[collective.first].kind].push_back(collective.size_bytes);
  return sizes_bytes;
}

Execution execute_expecting(const Graph& graph, const Executor& executor, const ExpectedSizes& sizes_bytes) {
  GraphPass pass(graph, executor);
  pass.expect(sizes_bytes);
  return pass.finish(executor);
}

Execution execute_collectives(const Graph& graph, Fidelity requested, Choice& choice) {
  const Executor& formulas = executor_of(Fidelity::closed_form);
  if (graph.machine.ranks == 1) return execute(graph, formulas);
  const SumExecutor executor(requested, choice);
  if (!graph.fusion) return execute_expecting(graph, executor, sizes_as_they_are(graph));
  const bool is_screened = requested == Fidelity::screening || requested == Fidelity::closed_form;
  return execute_expecting(graph, executor,
                           is_screened ? ExpectedSizes{} : sizes_that_ran(graph, execute(graph, formulas)));
}

Execution execute_servers(const Graph& graph, Fidelity requested, Choice& choice) {
  GraphPass pass(graph, executor_of(Fidelity::closed_form));
  pass.run_until_shards();
  const auto& exchange = pass.next_exchange();
  choice = graph.servers.asynchronous
               ? choose_async_servers(graph.machine, graph.servers.machine, {exchange}, requested)
               : choose_server_exchange(graph.machine, graph.servers.machine, exchange, requested);
  const Executor& executor = executor_of(choice.fidelity);
  const bool on_simgrid = choice.fidelity == Fidelity::by_symmetry || choice.fidelity == Fidelity::full;
  return on_simgrid ? execute(graph, executor) : pass.finish(executor);
}

/// Pairs that send at once are one pair, so that not every message is run.
Execution execute_transfers(const Graph& graph, Fidelity requested, Choice& choice) {
  if (requested == Fidelity::full)
    throw UserError("--fidelity", "",
                    "what model parallelism sends is not run one by one; leave --fidelity away, or give by-symmetry");
  const SumExecutor executor(requested, choice);
  return run_transfers(graph, executor);
}

} // namespace

Execution execute(const Graph& graph, const Executor& executor) {
  if (!graph.groups.empty()) return run_transfers(graph, executor);
  return execute_expecting(graph, executor, graph.fusion ? ExpectedSizes{} : sizes_as_they_are(graph));
}

Execution execute(const Graph& graph, Fidelity requested, Choice& choice) {
  choice = {};
  if (!graph.groups.empty()) return execute_transfers(graph, requested, choice);
  if (has_collectives(graph)) return execute_collectives(graph, requested, choice);
  if (has(graph, OperationKind::push_pull)) return execute_servers(graph, requested, choice);
  if (graph.path_Bps > 0) choice = choose_paths(requested);
  return execute(graph, executor_of(choice.fidelity));
}

ServerExchange find_exchange(const Graph& graph) {
  GraphPass pass(graph, executor_of(Fidelity::closed_form));
  pass.run_until_shards();
  return pass.next_exchange();
}

} // namespace ddlsim
