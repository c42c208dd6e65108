#include "sim/iteration/collective_times.hpp"
#include "sim/iteration/execution.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace ddlsim {
namespace {

/// Bytes of a transfer as a collective. A send counts as an all-gather of two ranks, each of which sends that many
/// bytes.
double collective_bytes(const Operation& operation) {
  constexpr double ranks_of_a_pair = 2;
  return operation.kind == OperationKind::send ? ranks_of_a_pair * operation.size_bytes : operation.size_bytes;
}

/// Returns the index of an equal run in `runs`, and adds the run if there is none. A pipeline has thousands of
/// transfers, and few that differ.
std::size_t number_of(const CollectiveRun& run, std::vector<CollectiveRun>& runs) {
  const auto found = std::find(runs.rbegin(), runs.rend(), run);
  if (found != runs.rend()) return static_cast<std::size_t>(runs.rend() - found) - 1;
  runs.push_back(run);
  return runs.size() - 1;
}

/// The different collectives and sends of a graph.
struct Transfers {
  std::vector<CollectiveRun> runs;
  std::vector<std::size_t> of_operation; ///< index in `runs` of each operation
};

/// The runs of one group by their bytes. Costs are the same for the same bytes, and take long to choose.
struct RunsOfGroup {
  AlgorithmChooser chooser;
  std::map<double, std::size_t> by_bytes; ///< index in `runs` of Transfers
};

Transfers transfers_of(const Graph& graph) {
  std::vector<RunsOfGroup> groups;
  for (const auto& group : graph.groups) groups.push_back({algorithm_chooser(group.rules, group.machine.ranks), {}});
  Transfers transfers;
  transfers.of_operation.resize(graph.operations.size());
  for (std::size_t i = 0; i < graph.operations.size(); ++i) {
    const auto& operation = graph.operations[i];
    if (operation.group < 0 || operation.kind == OperationKind::all_to_all) continue;
    const double size_bytes = collective_bytes(operation);
    auto& group = groups[at(operation.group)];
    const auto [known, is_new] = group.by_bytes.try_emplace(size_bytes);
    if (is_new) {
      const Machine& machine = graph.groups[at(operation.group)].machine;
      known->second = number_of({&machine, cost_of(machine, group.chooser, size_bytes)}, transfers.runs);
    }
    transfers.of_operation[i] = known->second;
  }
  return transfers;
}

double all_to_all_of_group_s(const Graph& graph, const Operation& operation) {
  const auto& group = graph.groups[at(operation.group)];
  return exchange_s(group.machine, group.rules, operation.size_bytes);
}

enum class TransferKind { tensor, context, pipeline, data_parallel };

/// The kind of a transfer. Transfers inside layers belong to a micro-batch; those among replicas do not.
TransferKind kind_of(const Operation& transfer) {
  if (transfer.kind == OperationKind::send) return TransferKind::pipeline;
  if (transfer.keys) return TransferKind::context;
  return transfer.micro_batch >= 0 ? TransferKind::tensor : TransferKind::data_parallel;
}

/// The spans of the streams of collectives of each role, in order. Compute of the role is slowed beside them.
class BusyRoles {
public:
  explicit BusyRoles(const Graph& graph)
      : graph_(graph), spans_(graph.streams.size()), past_(graph.streams.size(), 0) {}

  void add(const Operation& operation, const Span& span) {
    if (is_collective(graph_, operation) && span.end_s > span.start_s) spans_[operation.stream].push_back(span);
  }

  /// Returns when compute that takes `left_s` alone ends.
  double end_of_compute_s(const Operation& operation, double now_s, double left_s) {
    const double slower = 1 + graph_.interference;
    if (operation.kind != OperationKind::compute || !(slower > 1)) return now_s + left_s;
    while (left_s > 0) {
      const auto [busy, until_s] = next_change(graph_.streams[operation.stream].role, now_s);
      const double seconds_for_one = busy ? slower : 1;
      if (left_s * seconds_for_one <= until_s - now_s) return now_s + left_s * seconds_for_one;
      left_s -= (until_s - now_s) / seconds_for_one;
      now_s = until_s;
    }
    return now_s;
  }

private:
  /// Whether the role's collectives run now, and until when that is so.
  std::pair<bool, double> next_change(std::size_t role, double now_s) {
    double busy_until_s = now_s;
    double next_s = std::numeric_limits<double>::infinity();
    for (std::size_t stream = 0; stream < spans_.size(); ++stream) {
      if (graph_.streams[stream].role != role) continue;
      const auto& spans = spans_[stream];
      auto& past = past_[stream];
      while (past < spans.size() && spans[past].end_s <= now_s) ++past;
      if (past == spans.size()) continue;
      if (spans[past].start_s <= now_s) busy_until_s = std::max(busy_until_s, spans[past].end_s);
      next_s = std::min(next_s, std::max(spans[past].start_s, now_s));
    }
    const bool busy = busy_until_s > now_s;
    return {busy, busy ? busy_until_s : next_s};
  }

  const Graph& graph_;
  std::vector<std::vector<Span>> spans_; ///< of each stream
  std::vector<std::size_t> past_;        ///< number of spans of each stream that ended
};

/// The span of each operation. It starts when its stream is free and everything that it waits for has ended. Copies for
/// transfers are left out where `copies` is false.
template <class Seconds> std::vector<Span> spans_of(const Graph& graph, const Seconds& transfer_s, bool copies) {
  std::vector<Span> spans(graph.operations.size());
  std::vector<double> free_s(graph.streams.size(), 0);
  BusyRoles busy(graph);
  for (std::size_t i = 0; i < graph.operations.size(); ++i) {
    const auto& operation = graph.operations[i];
    double start_s = free_s[operation.stream];
    for (std::size_t w = 0; w < operation.waits; ++w)
      start_s = std::max(start_s, spans[graph.waits[operation.first_wait + w]].end_s);
    const double left_out_s = copies ? 0 : operation.copies_s;
    const double duration_s = operation.group < 0 ? operation.duration_s - left_out_s : transfer_s(i);
    spans[i] = {start_s, busy.end_of_compute_s(operation, start_s, duration_s)};
    busy.add(operation, spans[i]);
    free_s[operation.stream] = spans[i].end_s;
  }
  return spans;
}

double last_end_s(const Graph& graph, const std::vector<Span>& spans, bool of_input) {
  double end_s = 0;
  for (std::size_t i = 0; i < spans.size(); ++i)
    if ((graph.operations[i].kind == OperationKind::input) == of_input) end_s = std::max(end_s, spans[i].end_s);
  return end_s;
}

} // namespace

Execution run_transfers(const Graph& graph, const TimeTransfers& time) {
  const auto transfers = transfers_of(graph);
  const auto simulated = time(transfers.runs);
  Execution execution;
  execution.simgrid_messages = simulated.messages;
  const auto transfer_s = [&](std::size_t i) {
    const auto& operation = graph.operations[i];
    const double alone_s = operation.kind == OperationKind::all_to_all ? all_to_all_of_group_s(graph, operation)
                                                                       : simulated.times_s[transfers.of_operation[i]];
    return operation.repeats * started_s(graph.groups[at(operation.group)].rules, graph.collective_cost_s, alone_s);
  };
  execution.spans = spans_of(graph, transfer_s, true);
  execution.end_s = last_end_s(graph, execution.spans, false);
  execution.input_end_s = last_end_s(graph, execution.spans, true);
  for (std::size_t i = 0; i < graph.operations.size(); ++i) {
    const auto& operation = graph.operations[i];
    if (operation.kind == OperationKind::all_reduce)
      execution.collectives.push_back({i, operation.tensors, operation.size_bytes, execution.spans[i],
                                       transfers.runs[transfers.of_operation[i]].cost});
  }
  return execution;
}

Execution run_transfers(const Graph& graph, const Executor& executor) {
  const auto always = [&](const Machine&, const CollectiveKind&, double, int) -> const Executor& { return executor; };
  return run_transfers(graph, [&](const std::vector<CollectiveRun>& runs) { return time_collectives(runs, always); });
}

double end_without_network_s(const Graph& graph) {
  return last_end_s(graph,
                    spans_of(
                        graph, [](std::size_t) { return 0.0; }, false),
                    false);
}

ExposedParts exposed_parts(const Graph& graph, const Execution& execution, double end_without_network_s) {
  const auto end_with_s = [&](TransferKind last) {
    const auto transfer_s = [&](std::size_t i) {
      const auto& span = execution.spans[i];
      return kind_of(graph.operations[i]) <= last ? span.end_s - span.start_s : 0.0;
    };
    return last_end_s(graph, spans_of(graph, transfer_s, false), false);
  };
  const double with_tensor_s = end_with_s(TransferKind::tensor);
  const bool has_keys = std::any_of(graph.operations.begin(), graph.operations.end(),
                                    [](const Operation& operation) { return operation.keys; });
  const double with_keys_s = has_keys ? end_with_s(TransferKind::context) : with_tensor_s;
  const double with_sends_s = end_with_s(TransferKind::pipeline);
  return {with_tensor_s - end_without_network_s, with_keys_s - with_tensor_s, with_sends_s - with_keys_s,
          execution.end_s - with_sends_s};
}

} // namespace ddlsim
