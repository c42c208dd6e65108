#include "sim/iteration/collective_stream.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ddlsim {

namespace {

LibraryRules rules_for(CollectiveOperation operation, LibraryRules rules) {
  rules.operation = operation;
  return rules;
}

/// The machine of the ranks that run all-reduces, or that of those that run all-gathers and reduce-scatters.
const Machine& machine_of(const Graph& graph, bool all_reduces) {
  if (!graph.hybrid) return graph.machine;
  return (all_reduces ? graph.hybrid->replicas : graph.hybrid->shards).machine;
}
const LibraryRules& rules_of(const Graph& graph, bool all_reduces) {
  if (!graph.hybrid) return graph.rules;
  return (all_reduces ? graph.hybrid->replicas : graph.hybrid->shards).rules;
}

} // namespace

CollectiveRunner::CollectiveRunner(const Graph& graph) {
  const Machine& replicas = machine_of(graph, true);
  const Machine& shards = machine_of(graph, false);
  const auto& rules = rules_of(graph, false);
  all_reduces_ = {&replicas, algorithm_chooser(rules_of(graph, true), replicas.ranks)};
  reduce_scatters_ = {&shards, algorithm_chooser(rules_for(CollectiveOperation::reduce_scatter, rules), shards.ranks)};
  all_gathers_ = {&shards, algorithm_chooser(rules_for(CollectiveOperation::all_gather, rules), shards.ranks)};
}

CollectiveRun CollectiveRunner::run_of(OperationKind kind, double size_bytes) {
  auto& ranks = ranks_of(kind);
  if (size_bytes != ranks.last_bytes) {
    ranks.last_cost = cost_of(*ranks.machine, ranks.chooser, size_bytes);
    ranks.last_bytes = size_bytes;
  }
  return {ranks.machine, ranks.last_cost};
}

CollectiveRunner::Ranks& CollectiveRunner::ranks_of(OperationKind kind) {
  if (kind == OperationKind::reduce_scatter) return reduce_scatters_;
  return kind == OperationKind::all_gather ? all_gathers_ : all_reduces_;
}

CollectiveStream::CollectiveStream(const Graph& graph, CollectiveClock clock, std::vector<Span>& spans)
    : graph_(graph), spans_(spans), clock_(std::move(clock)), runner_(graph) {}

void CollectiveStream::add(std::size_t operation, double ready_s) {
  if (!graph_.fusion) return run(&operation, 1, ready_s);
  const bool after_idle_tick = waiting_.empty() && ready_s > tick_s_;
  if (after_idle_tick) tick_s_ = ready_s + graph_.fusion->cycle_s / 2;
  waiting_.push_back(operation);
}

/// Runs the waiting operations; fuses as many at a time as the buffer holds.
void CollectiveStream::run_waiting() {
  if (waiting_.empty()) return;
  const auto waiting = std::exchange(waiting_, {});
  std::size_t first = 0;
  double size_bytes = 0;
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const double next_bytes = graph_.operations[waiting[i]].size_bytes;
    if (i > first && size_bytes + next_bytes > graph_.fusion->buffer_bytes) {
      run(&waiting[first], i - first, tick_s_);
      first = i;
      size_bytes = 0;
    }
    size_bytes += next_bytes;
  }
  run(&waiting[first], waiting.size() - first, tick_s_);
  tick_s_ = std::max(tick_s_ + graph_.fusion->cycle_s, free_s_);
}

void CollectiveStream::run(const std::size_t* operations, std::size_t count, double ready_s) {
  Collective collective;
  collective.first = operations[0];
  for (std::size_t i = 0; i < count; ++i) {
    collective.tensors += graph_.operations[operations[i]].tensors;
    collective.size_bytes += graph_.operations[operations[i]].size_bytes;
  }
  const OperationKind kind = graph_.operations[collective.first].kind;
  const bool in_lanes = graph_.hybrid.has_value();
  Lane& lane = lanes_[kind == OperationKind::all_reduce ? 1 : 0];
  double& free_s = in_lanes ? lane.free_s : free_s_;
  const double start_s = std::max(free_s, ready_s);
  const auto run = runner_.run_of(kind, collective.size_bytes);
  collective.cost = run.cost;
  const double transfer_s = started_s(graph_.rules, graph_.collective_cost_s, clock_(collectives_.size(), run));
  free_s = start_s + collective.tensors * graph_.tensor_cost_s + transfer_s;
  collective.span = {start_s, free_s};
  collectives_.push_back(collective);
  if (in_lanes) lane.spans.push_back(collective.span);
  for (std::size_t i = 0; i < count; ++i) spans_[operations[i]] = collective.span;
}

double CollectiveStream::compute_end_s(double start_s, double alone_s) {
  if (collectives_.empty() && waiting_.empty()) return start_s + alone_s;
  const double end_s = end_beside_s(start_s, alone_s);
  if (waiting_.empty() || tick_s_ >= end_s) return end_s;
  run_waiting();
  return end_beside_s(start_s, alone_s);
}

double CollectiveStream::end_beside_s(double now_s, double left_s) {
  if (graph_.hybrid) return end_beside_both_s(now_s, left_s);
  while (past_ < collectives_.size() && collectives_[past_].span.end_s <= now_s) ++past_;
  const double slower = 1 + graph_.interference;
  for (std::size_t i = past_; i < collectives_.size() && slower > 1; ++i) {
    const Span& beside = collectives_[i].span;
    const double before_s = std::max(0.0, beside.start_s - now_s);
    if (left_s <= before_s) break;
    now_s += before_s;
    left_s -= before_s;
    if (left_s * slower <= beside.end_s - now_s) return now_s + left_s * slower;
    left_s -= (beside.end_s - now_s) / slower;
    now_s = beside.end_s;
  }
  return now_s + left_s;
}

/// Returns when compute ends beside the collectives of both lanes. Collectives of both lanes at once slow it as much as
/// those of one.
double CollectiveStream::end_beside_both_s(double now_s, double left_s) {
  const double slower = 1 + graph_.interference;
  while (left_s > 0 && slower > 1) {
    double busy_until_s = now_s;
    double next_s = std::numeric_limits<double>::infinity();
    for (Lane& lane : lanes_) {
      while (lane.past < lane.spans.size() && lane.spans[lane.past].end_s <= now_s) ++lane.past;
      if (lane.past == lane.spans.size()) continue;
      const Span& first = lane.spans[lane.past];
      if (first.start_s <= now_s) busy_until_s = std::max(busy_until_s, first.end_s);
      next_s = std::min(next_s, std::max(first.start_s, now_s));
    }
    const bool busy = busy_until_s > now_s;
    const double seconds_for_one = busy ? slower : 1;
    const double until_s = busy ? busy_until_s : next_s;
    if (left_s * seconds_for_one <= until_s - now_s) return now_s + left_s * seconds_for_one;
    left_s -= (until_s - now_s) / seconds_for_one;
    now_s = until_s;
  }
  return now_s + left_s;
}

} // namespace ddlsim
