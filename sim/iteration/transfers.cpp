#include "sim/iteration/collective_stream.hpp"
#include "sim/iteration/execution.hpp"

#include <algorithm>
#include <functional>

namespace ddlsim {
namespace {

/// Of a send: of the all-gather among two ranks in which each sends as much.
double collective_bytes(const Operation& operation) {
  constexpr double ranks_of_a_pair = 2;
  return operation.kind == OperationKind::send ? ranks_of_a_pair * operation.size_bytes : operation.size_bytes;
}

/// Transfers by their group and size.
class TransferTimes {
public:
  TransferTimes(const Graph& graph, const Executor& executor) : graph_(graph) {
    std::vector<std::vector<double>> sizes_bytes(graph.groups.size());
    for (const auto& operation : graph.operations)
      if (operation.group >= 0) sizes_bytes[at(operation.group)].push_back(collective_bytes(operation));
    groups_.reserve(graph.groups.size());
    for (const auto& group : graph.groups) groups_.emplace_back(group.machine, group.rules, executor);
    for (std::size_t i = 0; i < groups_.size(); ++i) groups_[i].add(std::move(sizes_bytes[i]));
  }

  double time_s(const Operation& operation) {
    return operation.repeats *
           (graph_.collective_cost_s + groups_[at(operation.group)].time_s(collective_bytes(operation)));
  }

  Way way(const Operation& operation) const { return groups_[at(operation.group)].way_of_size(operation.size_bytes); }

  double simgrid_messages() const {
    double messages = 0;
    for (const auto& group : groups_) messages += group.simgrid_messages();
    return messages;
  }

private:
  const Graph& graph_;
  std::vector<TimedSizes> groups_;
};

/// Each operation starts when its stream is free and what it waits for has ended.
std::vector<Span> spans_of(const Graph& graph, const std::function<double(const Operation&)>& transfer_s) {
  std::vector<Span> spans(graph.operations.size());
  std::vector<double> free_s(graph.streams.size(), 0);
  for (std::size_t i = 0; i < graph.operations.size(); ++i) {
    const auto& operation = graph.operations[i];
    double start_s = free_s[operation.stream];
    for (std::size_t w = 0; w < operation.waits; ++w)
      start_s = std::max(start_s, spans[graph.waits[operation.first_wait + w]].end_s);
    const double duration_s = operation.group < 0 ? operation.duration_s : transfer_s(operation);
    spans[i] = {start_s, start_s + duration_s};
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

Execution run_transfers(const Graph& graph, const Executor& executor) {
  TransferTimes times(graph, executor);
  Execution execution;
  execution.spans = spans_of(graph, [&](const Operation& operation) { return times.time_s(operation); });
  execution.end_s = last_end_s(graph, execution.spans, false);
  execution.input_end_s = last_end_s(graph, execution.spans, true);
  for (std::size_t i = 0; i < graph.operations.size(); ++i) {
    const auto& operation = graph.operations[i];
    if (operation.kind == OperationKind::all_reduce)
      execution.collectives.push_back(
          {i, operation.tensors, operation.size_bytes, execution.spans[i], times.way(operation)});
  }
  execution.simgrid_messages = times.simgrid_messages();
  return execution;
}

double end_without_network_s(const Graph& graph) {
  return last_end_s(graph, spans_of(graph, [](const Operation&) { return 0.0; }), false);
}

} // namespace ddlsim
