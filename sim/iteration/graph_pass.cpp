#include "sim/iteration/graph_pass.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace ddlsim {

GraphPass::GraphPass(const Graph& graph, CollectiveClock clock, const Executor& executor)
    : graph_(graph), executor_(&executor), collectives_(graph, std::move(clock), execution_.spans),
      free_s_(graph.streams.size(), 0) {
  execution_.spans.resize(graph.operations.size());
}

void GraphPass::run_until_shards() {
  while (next_ < graph_.operations.size() && graph_.operations[next_].kind != OperationKind::push_pull) run_next();
}

Execution GraphPass::finish(const Executor& executor) {
  executor_ = &executor;
  while (next_ < graph_.operations.size()) run_next();
  collectives_.run_waiting();
  find_ends();
  if (graph_.servers.asynchronous) execution_.end_s = async_iteration_s_;
  execution_.collectives = collectives_.collectives();
  return std::move(execution_);
}

void GraphPass::find_ends() {
  double end_s = 0;
  double input_end_s = 0;
  const Span* span = execution_.spans.data();
  for (const Operation& operation : graph_.operations) {
    const double ended_s = (span++)->end_s;
    if (operation.kind == OperationKind::input) {
      input_end_s = std::max(input_end_s, ended_s);
    } else {
      end_s = std::max(end_s, ended_s);
    }
  }
  execution_.end_s = end_s;
  execution_.input_end_s = input_end_s;
}

/// Runs the next operation. Operations of its kind that follow it and share links with it run together with it.
void GraphPass::run_next() {
  if (is_collective(graph_, graph_.operations[next_])) {
    collectives_.add(next_, ready_s(next_));
    ++next_;
    return;
  }
  switch (graph_.operations[next_].kind) {
  case OperationKind::compute:
    run_compute(next_++);
    break;
  case OperationKind::input:
  case OperationKind::to_host:
  case OperationKind::from_host:
  case OperationKind::host_sum:
  case OperationKind::host_update:
    run_alone(next_++);
    break;
  case OperationKind::all_reduce:
  case OperationKind::reduce:
  case OperationKind::broadcast:
  case OperationKind::reduce_scatter:
  case OperationKind::all_gather:
    run_paths();
    break;
  case OperationKind::push_pull:
    run_shards();
    break;
  case OperationKind::all_to_all:
  case OperationKind::send: // graphs with groups have these, and run_transfers() runs them
    throw std::logic_error("a transfer without a group");
  }
}

inline double GraphPass::ended_s(std::size_t operation) {
  if (collectives_.waits_for_tick(operation)) collectives_.run_waiting();
  return execution_.spans[operation].end_s;
}

/// Returns when the operation can start: when all operations that it waits for have ended.
inline double GraphPass::ready_s(std::size_t operation) {
  const Operation& waiting = graph_.operations[operation];
  double latest_s = 0;
  const std::size_t* first = graph_.waits.data() + waiting.first_wait;
  for (const std::size_t* wait = first; wait != first + waiting.waits; ++wait)
    latest_s = std::max(latest_s, ended_s(*wait));
  return latest_s;
}

double GraphPass::start_s(std::size_t operation) {
  return std::max(free_s_[graph_.operations[operation].stream], ready_s(operation));
}

void GraphPass::end_at(std::size_t operation, double start_s, double end_s) {
  execution_.spans[operation] = {start_s, end_s};
  free_s_[graph_.operations[operation].stream] = end_s;
}

void GraphPass::run_compute(std::size_t operation) {
  const double from_s = start_s(operation);
  end_at(operation, from_s, collectives_.compute_end_s(from_s, graph_.operations[operation].duration_s));
}

/// Runs an operation that no other operation slows.
void GraphPass::run_alone(std::size_t operation) {
  const double from_s = start_s(operation);
  end_at(operation, from_s, from_s + graph_.operations[operation].duration_s);
}

/// Returns the next operations of one kind, in the order in which they are ready. Shards are in the order of the
/// workers, and not in that of a slow node.
std::vector<GraphPass::Ready> GraphPass::next_by_readiness() {
  const OperationKind kind = graph_.operations[next_].kind;
  std::size_t end = next_;
  while (end < graph_.operations.size() && graph_.operations[end].kind == kind) ++end;
  const bool shards = kind == OperationKind::push_pull;
  std::vector<Ready> ready(end - next_);
  bool in_order = true; // usually one of the two flags stays true
  bool the_other_way_round = true;
  double before_s = 0;
  for (std::size_t i = next_; i < end; ++i) {
    const double now_s = shards ? ended_s(graph_.waits[graph_.operations[i].first_wait]) : ready_s(i);
    ready[i - next_] = {i, now_s};
    in_order = in_order && (now_s >= before_s || i == next_);
    the_other_way_round = the_other_way_round && (now_s < before_s || i == next_);
    before_s = now_s;
  }
  if (in_order) return ready;
  if (the_other_way_round) {
    std::reverse(ready.begin(), ready.end());
  } else {
    std::stable_sort(ready.begin(), ready.end(), [](const Ready& a, const Ready& b) { return a.ready_s < b.ready_s; });
  }
  return ready;
}

void GraphPass::run_paths() {
  const auto ready = next_by_readiness();
  std::vector<PathMessage> messages(ready.size());
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const Operation& operation = graph_.operations[ready[i].operation];
    messages[i] = {operation.stream, ready[i].ready_s, operation.size_bytes};
  }
  const auto passed = executor_->paths(messages, graph_.path_Bps);
  execution_.simgrid_messages += passed.messages;
  for (std::size_t i = 0; i < ready.size(); ++i)
    end_at(ready[i].operation, passed.times_s[i] - messages[i].size_bytes / graph_.path_Bps, passed.times_s[i]);
  next_ += ready.size();
}

/// A shard waits for its gradient on the workers; where the workers of a slow node are a role of their own, it waits
/// for theirs too.
const ServerExchange& GraphPass::next_exchange() {
  if (!shards_.empty() || next_ >= graph_.operations.size()) return exchange_;
  shards_ = next_by_readiness();
  exchange_.messages_per_node = graph_.servers.messages_per_node;
  exchange_.message_cost_s = graph_.servers.message_cost_s;
  exchange_.shards.resize(shards_.size());
  exchange_.ready_s.resize(shards_.size());
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    const Operation& shard = graph_.operations[shards_[i].operation];
    exchange_.shards[i] = {shard.tensor, graph_.streams[shard.stream].number, shard.size_bytes};
    exchange_.ready_s[i] = shards_[i].ready_s;
    if (shard.waits > 1) exchange_.slow_ready_s.push_back(ended_s(graph_.waits[shard.first_wait + 1]));
  }
  return exchange_;
}

void GraphPass::run_shards() {
  next_exchange();
  const auto exchange = std::exchange(exchange_, {});
  const auto shards = std::exchange(shards_, {});
  next_ += shards.size();
  if (graph_.servers.asynchronous) return run_asynchronous(exchange);
  const auto timing = executor_->server_exchange(graph_.machine, graph_.servers.machine, exchange);
  execution_.simgrid_messages += timing.simgrid_messages;
  execution_.summed_s.resize(graph_.operations.size());
  for (std::size_t i = 0; i < shards.size(); ++i) {
    execution_.summed_s[shards[i].operation] = timing.summed_s[i];
    end_at(shards[i].operation, exchange.ready_s[i], timing.pulled_s[i]);
  }
}

/// Runs asynchronous servers. Every worker repeats its compute at its own pace, so shards have no fixed time in an
/// iteration.
void GraphPass::run_asynchronous(const ServerExchange& exchange) {
  std::vector<double> compute_end_s; // end of compute of each role
  for (std::size_t i = 0; i < graph_.streams.size(); ++i)
    if (graph_.streams[i].kind == StreamKind::compute) compute_end_s.push_back(free_s_[i]);
  AsyncExchange async;
  async.exchange = exchange;
  async.compute_s = compute_end_s.front();
  async.compute_spread = graph_.servers.compute_spread_s / async.compute_s;
  async.slow_factor = compute_end_s.back() / async.compute_s;
  const auto timing = executor_->async_servers(graph_.machine, graph_.servers.machine, async);
  async_iteration_s_ = timing.iteration_s;
  execution_.mean_staleness = timing.mean_staleness;
  execution_.simgrid_messages += timing.simgrid_messages;
}

} // namespace ddlsim
