#include "sim/iteration/execution.hpp"

#include "sim/base/error.hpp"
#include "sim/iteration/graph_pass.hpp"
#include "sim/simgrid/engine_choice.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace ddlsim {
namespace {

/// Several algorithms of an iteration are reported as the one that is run least closely.
void add(const Choice& more, Choice& all) {
  const auto rank = [](const Choice& choice) { return std::tuple(choice.engine != Engine::formula, choice.is_exact); };
  const bool is_exact = all.is_exact && more.is_exact;
  if (rank(more) < rank(all) || (rank(more) == rank(all) && more.engine > all.engine)) all = more;
  all.is_exact = is_exact;
}

/// An iteration may run several all-reduce algorithms, and each is timed as closely as it can be: by the engine that
/// choose_all_reduce() takes for it, those before it counted. `choice` then says how: the least close way of all. For
/// one thread.
class SumExecutor : public Executor {
public:
  /// `choice` must outlive this.
  SumExecutor(Fidelity requested, Choice& choice) : requested_(requested), choice_(choice) {}

  SimulatedTimes all_reduces(const Machine& machine, const std::vector<double>& sizes_bytes,
                             Algorithm algorithm) const override {
    const double size_bytes = std::accumulate(sizes_bytes.begin(), sizes_bytes.end(), 0.0);
    const int operations = static_cast<int>(sizes_bytes.size());
    double& messages_before = messages_[algorithm];
    const auto chosen = choose_all_reduce(machine, algorithm, size_bytes, operations, requested_, messages_before);
    messages_before += messages_of_all_reduce(machine, algorithm, size_bytes, operations);
    add(chosen, choice_);
    return executor_of(chosen.engine).all_reduces(machine, sizes_bytes, algorithm);
  }

  // An iteration with all-reduces has none of these.
  SimulatedTimes paths(const std::vector<PathMessage>& messages, double rate_Bps) const override {
    return executor_of(Engine::formula).paths(messages, rate_Bps);
  }
  ServerExchangeTiming server_exchange(const Machine& machine, const ServerMachine& servers,
                                       const ServerExchange& exchange) const override {
    return executor_of(Engine::formula).server_exchange(machine, servers, exchange);
  }
  AsyncTiming async_servers(const Machine& machine, const ServerMachine& servers,
                            const AsyncExchange& async) const override {
    return executor_of(Engine::formula).async_servers(machine, servers, async);
  }

private:
  Fidelity requested_;
  Choice& choice_;
  mutable std::map<Algorithm, double> messages_; ///< that a full run of all so far would have
};

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
  if (graph.hybrid && requested == Fidelity::full)
    throw UserError("--fidelity", "",
                    "what hybrid sharding sends is not run one by one; leave --fidelity away");
  const Executor& formulas = executor_of(Engine::formula);
  if (graph.machine.ranks == 1) return execute(graph, formulas);
  const SumExecutor executor(requested, choice);
  if (!graph.fusion) return execute_expecting(graph, executor, sizes_as_they_are(graph));
  const bool is_formula = requested == Fidelity::formula;
  return execute_expecting(graph, executor,
                           is_formula ? ExpectedSizes{} : sizes_that_ran(graph, execute(graph, formulas)));
}

Execution execute_servers(const Graph& graph, Fidelity requested, Choice& choice) {
  GraphPass pass(graph, executor_of(Engine::formula));
  pass.run_until_shards();
  const auto& exchange = pass.next_exchange();
  choice = graph.servers.asynchronous
               ? choose_async_servers(graph.machine, graph.servers.machine, {exchange}, requested)
               : choose_server_exchange(graph.machine, graph.servers.machine, exchange, requested);
  const Executor& executor = executor_of(choice.engine);
  return choice.engine == Engine::formula ? pass.finish(executor) : execute(graph, executor);
}

/// Pairs that send at once are one pair, so that not every message is run.
Execution execute_transfers(const Graph& graph, Fidelity requested, Choice& choice) {
  if (requested == Fidelity::full)
    throw UserError("--fidelity", "",
                    "what model parallelism sends is not run one by one; leave --fidelity away");
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
  return execute(graph, executor_of(choice.engine));
}

ServerExchange find_exchange(const Graph& graph) {
  GraphPass pass(graph, executor_of(Engine::formula));
  pass.run_until_shards();
  return pass.next_exchange();
}

} // namespace ddlsim
