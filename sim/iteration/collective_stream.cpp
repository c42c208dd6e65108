#include "sim/iteration/collective_stream.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ddlsim {

/// Sizes of one way together, which is one run of SimGrid.
std::vector<double> TimedSizes::time(const std::vector<double>& sizes_bytes) {
  std::vector<double> times_s(sizes_bytes.size());
  for (const auto& [way, numbers] : by_way(ways_, sizes_bytes)) {
    std::vector<double> busy_bytes;
    for (const std::size_t number : numbers) busy_bytes.push_back(timed_bytes(way, sizes_bytes[number]));
    const auto machine = machine_under(machine_, way, ways_.rules.nccl);
    const auto simulated = executor_.all_reduces(machine, busy_bytes, way.algorithm);
    simgrid_messages_ += simulated.messages;
    for (std::size_t i = 0; i < numbers.size(); ++i) times_s[numbers[i]] = simulated.times_s[i];
  }
  return times_s;
}

void TimedSizes::add(std::vector<double> sizes_bytes) {
  std::sort(sizes_bytes.begin(), sizes_bytes.end());
  sizes_bytes.erase(std::unique(sizes_bytes.begin(), sizes_bytes.end()), sizes_bytes.end());
  auto times_s = time(sizes_bytes);
  if (sizes_bytes_.empty()) {
    sizes_bytes_ = std::move(sizes_bytes);
    times_s_ = std::move(times_s);
    return;
  }
  for (std::size_t i = 0; i < sizes_bytes.size(); ++i) {
    const auto place = std::lower_bound(sizes_bytes_.begin(), sizes_bytes_.end(), sizes_bytes[i]);
    times_s_.insert(times_s_.begin() + (place - sizes_bytes_.begin()), times_s[i]);
    sizes_bytes_.insert(place, sizes_bytes[i]);
  }
}

double TimedSizes::time_s(double size_bytes) {
  const auto find = [&] { return std::lower_bound(sizes_bytes_.begin(), sizes_bytes_.end(), size_bytes); };
  auto place = find();
  if (place == sizes_bytes_.end() || *place != size_bytes) {
    add({size_bytes});
    place = find();
  }
  return times_s_[static_cast<std::size_t>(place - sizes_bytes_.begin())];
}

namespace {

/// No library names an algorithm for a half: all of them go round a ring with large messages.
SumRules by(SumRules rules, Algorithm half) {
  rules.forced = half;
  return rules;
}

/// Of sums, or of gathers and scatters.
const Machine& machine_of(const Graph& graph, bool sums) {
  if (!graph.hybrid) return graph.machine;
  return (sums ? graph.hybrid->replicas : graph.hybrid->shards).machine;
}
const SumRules& rules_of(const Graph& graph, bool sums) {
  if (!graph.hybrid) return graph.sums;
  return (sums ? graph.hybrid->replicas : graph.hybrid->shards).rules;
}

} // namespace

CollectiveStream::CollectiveStream(const Graph& graph, const Executor& executor, std::vector<Span>& spans)
    : graph_(graph), spans_(spans), sums_(machine_of(graph, true), rules_of(graph, true), executor),
      scatters_(machine_of(graph, false), by(rules_of(graph, false), Algorithm::ring_reduce_scatter), executor),
      gathers_(machine_of(graph, false), by(rules_of(graph, false), Algorithm::ring_all_gather), executor) {}

void CollectiveStream::expect(const ExpectedSizes& sizes_bytes) {
  for (const auto& [kind, of_kind] : sizes_bytes) sizes_of(kind).add(of_kind);
}

TimedSizes& CollectiveStream::sizes_of(OperationKind kind) {
  if (kind == OperationKind::reduce_scatter) return scatters_;
  return kind == OperationKind::all_gather ? gathers_ : sums_;
}

void CollectiveStream::add(std::size_t operation, double ready_s) {
  if (!graph_.fusion) return run(&operation, 1, ready_s);
  const bool after_idle_tick = waiting_.empty() && ready_s > tick_s_;
  if (after_idle_tick) tick_s_ = ready_s + graph_.fusion->cycle_s / 2;
  waiting_.push_back(operation);
}

/// As many together as the buffer holds.
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
  auto& sizes = sizes_of(kind);
  free_s = start_s + graph_.collective_cost_s + collective.tensors * graph_.tensor_cost_s +
           sizes.time_s(collective.size_bytes);
  collective.span = {start_s, free_s};
  collective.way = sizes.way_of_size(collective.size_bytes);
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

/// Either kind slows compute, and both no more than one.
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
