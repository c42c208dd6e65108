#include "sim/collective/all_to_all.hpp"
#include "sim/iteration/collective_stream.hpp"
#include "sim/iteration/execution.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

/// Of a send: of the all-gather among two ranks in which each sends as much.
double collective_bytes(const Operation& operation) {
  constexpr double ranks_of_a_pair = 2;
  return operation.kind == OperationKind::send ? ranks_of_a_pair * operation.size_bytes : operation.size_bytes;
}

/// A group has few sizes, and thousands of transfers.
void add_new(double size_bytes, std::vector<double>& sizes_bytes) {
  if (std::find(sizes_bytes.begin(), sizes_bytes.end(), size_bytes) == sizes_bytes.end())
    sizes_bytes.push_back(size_bytes);
}

/// Transfers by their group and size.
class TransferTimes {
public:
  TransferTimes(const Graph& graph, const Executor& executor) : graph_(graph) {
    std::vector<std::vector<double>> sizes_bytes(graph.groups.size());
    for (const auto& operation : graph.operations)
      if (operation.group >= 0 && operation.kind != OperationKind::all_to_all)
        add_new(collective_bytes(operation), sizes_bytes[at(operation.group)]);
    groups_.reserve(graph.groups.size());
    for (const auto& group : graph.groups) groups_.emplace_back(group.machine, group.rules, executor);
    for (std::size_t i = 0; i < groups_.size(); ++i) groups_[i].add(std::move(sizes_bytes[i]));
  }

  double time_s(const Operation& operation) {
    if (operation.kind == OperationKind::all_to_all)
      return operation.repeats * (graph_.collective_cost_s +
                                  all_to_all_s(graph_.groups[at(operation.group)].machine, operation.size_bytes));
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

enum class TransferKind { tensor, context, pipeline, data_parallel };

/// What is inside layers is of a micro-batch; what replicas do is of all.
TransferKind kind_of(const Operation& transfer) {
  if (transfer.kind == OperationKind::send) return TransferKind::pipeline;
  if (transfer.keys) return TransferKind::context;
  return transfer.micro_batch >= 0 ? TransferKind::tensor : TransferKind::data_parallel;
}

/// Each operation starts when its stream is free and what it waits for has ended.
template <class Seconds> std::vector<Span> spans_of(const Graph& graph, const Seconds& transfer_s) {
  std::vector<Span> spans(graph.operations.size());
  std::vector<double> free_s(graph.streams.size(), 0);
  for (std::size_t i = 0; i < graph.operations.size(); ++i) {
    const auto& operation = graph.operations[i];
    double start_s = free_s[operation.stream];
    for (std::size_t w = 0; w < operation.waits; ++w)
      start_s = std::max(start_s, spans[graph.waits[operation.first_wait + w]].end_s);
    const double duration_s = operation.group < 0 ? operation.duration_s : transfer_s(i);
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
  execution.spans = spans_of(graph, [&](std::size_t i) { return times.time_s(graph.operations[i]); });
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
  return last_end_s(graph, spans_of(graph, [](std::size_t) { return 0.0; }), false);
}

ExposedParts exposed_parts(const Graph& graph, const Execution& execution, double end_without_network_s) {
  const auto end_with_s = [&](TransferKind last) {
    const auto spans = spans_of(graph, [&](std::size_t i) {
      const auto& span = execution.spans[i];
      return kind_of(graph.operations[i]) <= last ? span.end_s - span.start_s : 0.0;
    });
    return last_end_s(graph, spans, false);
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
