#include "sim/parameter_server/exchange.hpp"

#include "sim/parameter_server/fair_share.hpp"
#include "sim/parameter_server/lanes.hpp"
#include "sim/parameter_server/server_classes.hpp"
#include "sim/parameter_server/traffic.hpp"

#include <algorithm>
#include <cstddef>

namespace ddlsim {
namespace {

/// One direction of the servers of a class: a queue of shards, first in first out, whose first shard may be under way.
/// One server stands for all servers of its class.
struct ShardLane {
  std::size_t server_class = 0;
  bool push = true;
  const std::vector<std::size_t>* queue = nullptr; ///< shards of one such server, in the order in which they move
  std::size_t head = 0;
  bool awaited = false; ///< in a pull lane: it is not known yet when the shard at its head is summed
};

/// A message under way.
struct ShardMessage {
  std::size_t lane = 0;
  double left_bytes = 0;
  double end_bytes = 0; ///< bytes left at which the message counts as ended
  double rate_Bps = 0;
};

/// The state of the exchange at `now_s`.
struct ShardFluid {
  FairShare share;
  std::vector<double> sizes_bytes;
  double latency_s;
  const std::vector<double>& pushable_s;
  std::vector<double> pullable_s;
  std::vector<double> pulled_s;
  std::vector<ShardLane> lanes{}; ///< lane 2c has the pushes and 2c + 1 the pulls of server class c
  std::vector<ShardMessage> under_way{};
  Waits waits{};
  double now_s = 0;
};

/// Makes the lane wait for its next shard, if there is one: until a known time, or, for a pull whose shard is not
/// pushed yet, until that shard is summed.
void wait_for_head(ShardFluid& fluid, std::size_t index) {
  ShardLane& lane = fluid.lanes[index];
  if (lane.head == lane.queue->size()) return;
  const std::size_t shard = (*lane.queue)[lane.head];
  const double until_s = lane.push ? fluid.pushable_s[shard] : fluid.pullable_s[shard];
  lane.awaited = !(until_s < never_s);
  if (!lane.awaited) fluid.waits.push({until_s, index});
}

void finish_head(ShardFluid& fluid, std::size_t index) {
  ShardLane& lane = fluid.lanes[index];
  const std::size_t shard = (*lane.queue)[lane.head];
  (lane.push ? fluid.pullable_s : fluid.pulled_s)[shard] = fluid.now_s + fluid.latency_s;
  ++lane.head;
  fluid.share.set_busy(lane.server_class, lane.push, false);
  wait_for_head(fluid, index);
  const std::size_t pull = index + 1;
  if (lane.push && fluid.lanes[pull].awaited) wait_for_head(fluid, pull);
}

/// Starts the messages that may start. If the link shares do not change, only these messages need a new rate.
void begin_heads(ShardFluid& fluid) {
  const std::size_t before = fluid.under_way.size();
  while (!fluid.waits.empty() && fluid.waits.top().until_s <= fluid.now_s) {
    const std::size_t index = fluid.waits.top().lane;
    fluid.waits.pop();
    const ShardLane& lane = fluid.lanes[index];
    const double size_bytes = fluid.sizes_bytes[(*lane.queue)[lane.head]];
    fluid.under_way.push_back({index, size_bytes, rounding_share * size_bytes});
    fluid.share.set_busy(lane.server_class, lane.push, true);
  }
  for (std::size_t i = fluid.share.settle() ? 0 : before; i < fluid.under_way.size(); ++i) {
    const ShardLane& lane = fluid.lanes[fluid.under_way[i].lane];
    fluid.under_way[i].rate_Bps = fluid.share.rate_Bps(lane.server_class, lane.push);
  }
}

/// Returns the time until a message ends or a waiting one may start.
double next_change_s(const ShardFluid& fluid) {
  constexpr double rounding_apart = 1 + 1e-12; // factor that leaves nearly equal quotients to the exact comparison
  double wait_s = fluid.waits.empty() ? never_s : fluid.waits.top().until_s - fluid.now_s;
  for (const ShardMessage& message : fluid.under_way) {
    // this comparison saves most divisions
    if (message.left_bytes > rounding_apart * wait_s * message.rate_Bps) continue;
    wait_s = std::min(wait_s, message.left_bytes / message.rate_Bps);
  }
  return wait_s;
}

bool has_ended(const ShardMessage& message) {
  return message.left_bytes <= message.end_bytes;
}

/// Messages are removed after the loop: copying one that was just changed would wait for the processor to store it.
void advance(ShardFluid& fluid, double wait_s) {
  fluid.now_s += wait_s;
  for (ShardMessage& message : fluid.under_way) {
    message.left_bytes -= wait_s * message.rate_Bps;
    if (has_ended(message)) finish_head(fluid, message.lane);
  }
  std::erase_if(fluid.under_way, has_ended);
}

/// The rates of a copy in each direction, for exchanges with one class of servers.
struct BothWays {
  double push_Bps = 0; ///< rate of a push while nothing is pulled
  double pull_Bps = 0; ///< rate of a pull while nothing is pushed
  double push_beside_Bps = 0;
  double pull_beside_Bps = 0;
  bool apart() const { return push_beside_Bps == push_Bps && pull_beside_Bps == pull_Bps; }
};
BothWays rates_of_only_class(FairShare share) {
  constexpr std::size_t only = 0;
  BothWays rates;
  share.set_busy(only, true, true);
  share.settle();
  rates.push_Bps = share.rate_Bps(only, true);
  share.set_busy(only, false, true);
  share.settle();
  rates.push_beside_Bps = share.rate_Bps(only, true);
  rates.pull_beside_Bps = share.rate_Bps(only, false);
  share.set_busy(only, true, false);
  share.settle();
  rates.pull_Bps = share.rate_Bps(only, false);
  return rates;
}

/// Runs each direction as a queue with a constant rate. The result is that of `run_lanes`, which follows all changes of
/// rates.
void run_fifos_apart(ShardFluid& fluid, const std::vector<std::size_t>& queue, const BothWays& rates) {
  double pushed_s = 0;
  double out_s = 0;
  for (const std::size_t shard : queue) {
    pushed_s = std::max(pushed_s, fluid.pushable_s[shard]) + fluid.sizes_bytes[shard] / rates.push_Bps;
    fluid.pullable_s[shard] = pushed_s + fluid.latency_s;
    out_s = std::max(out_s, fluid.pullable_s[shard]) + fluid.sizes_bytes[shard] / rates.pull_Bps;
    fluid.pulled_s[shard] = out_s + fluid.latency_s;
  }
}

/// The progress of one direction of the servers, where all are of one class.
struct Fifo {
  const std::vector<double>& ready_s; ///< time at which each shard is ready
  std::vector<double>& ended_s;
  std::size_t head = 0;
  double left_bytes = 0; ///< bytes left of the shard at the head
  double now_s = 0;      ///< time of the last end of a shard, or the time up to which the head has moved
};

/// Returns when the shard at the head may move on; never_s while this is not known.
double goes_on_s(const Fifo& fifo, const std::vector<std::size_t>& queue) {
  return fifo.head == queue.size() ? never_s : std::max(fifo.now_s, fifo.ready_s[queue[fifo.head]]);
}

/// Moves the shard at the head from `from_s` on, to its end or to `until_s`.
void move_head(ShardFluid& fluid, Fifo& fifo, const std::vector<std::size_t>& queue, double rate_Bps, double from_s,
               double until_s) {
  const double end_s = from_s + fifo.left_bytes / rate_Bps;
  fifo.now_s = std::min(end_s, until_s);
  fifo.left_bytes -= (fifo.now_s - from_s) * rate_Bps;
  if (end_s > until_s) return;
  fifo.ended_s[queue[fifo.head]] = end_s + fluid.latency_s;
  if (++fifo.head < queue.size()) fifo.left_bytes = fluid.sizes_bytes[queue[fifo.head]];
}

/// Runs both queues where the rate of each direction depends on whether the other one sends.
void run_fifos(ShardFluid& fluid, const std::vector<std::size_t>& queue, const BothWays& rates) {
  if (rates.apart()) return run_fifos_apart(fluid, queue, rates);
  Fifo push{fluid.pushable_s, fluid.pullable_s, 0, fluid.sizes_bytes[queue.front()]};
  Fifo pull{fluid.pullable_s, fluid.pulled_s, 0, fluid.sizes_bytes[queue.front()]};
  while (pull.head < queue.size()) {
    const double push_s = goes_on_s(push, queue);
    const double pull_s = goes_on_s(pull, queue);
    if (push_s < pull_s) {
      move_head(fluid, push, queue, rates.push_Bps, push_s, pull_s);
    } else if (pull_s < push_s) {
      move_head(fluid, pull, queue, rates.pull_Bps, pull_s, push_s);
    } else {
      const double push_end_s = push_s + push.left_bytes / rates.push_beside_Bps;
      const double pull_end_s = pull_s + pull.left_bytes / rates.pull_beside_Bps;
      move_head(fluid, push, queue, rates.push_beside_Bps, push_s, pull_end_s);
      move_head(fluid, pull, queue, rates.pull_beside_Bps, pull_s, push_end_s);
    }
  }
}

/// Returns when each shard is summed, and when the slowest worker has it.
ServerExchangeTiming time_shards(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange) {
  const auto known = server_classes_of(machine, servers, exchange);
  const ServerClasses& classes = *known;
  const std::vector<double> never(exchange.shards.size(), never_s);
  ShardFluid fluid{FairShare(machine, servers, exchange, classes),
                   message_sizes(machine, servers, exchange),
                   copy_latency_s(machine, servers, exchange),
                   exchange.ready_s,
                   never,
                   never};
  for (std::size_t server = 0; server < classes.servers.size(); ++server) {
    fluid.lanes.push_back({server, true, &classes.servers[server].shards});
    fluid.lanes.push_back({server, false, &classes.servers[server].shards});
  }
  if (classes.servers.size() == 1) {
    run_fifos(fluid, classes.servers.front().shards, rates_of_only_class(fluid.share));
  } else {
    run_lanes(fluid);
  }
  ServerExchangeTiming timing;
  timing.summed_s.reserve(exchange.shards.size());
  timing.pulled_s.reserve(exchange.shards.size());
  for (const ShardRole& role : classes.shards) {
    const std::size_t shard = classes.servers[role.server_class].shards[role.position];
    timing.summed_s.push_back(fluid.pullable_s[shard]);
    timing.pulled_s.push_back(fluid.pulled_s[shard]);
  }
  return timing;
}

// Returns the machine without the slow node's NIC, which the formula ignores.
Machine without_slow_nic(Machine machine) {
  machine.slow_nic_factor = 1;
  return machine;
}
ServerExchange as_if_on_time(ServerExchange exchange) {
  exchange.slow_ready_s.clear();
  return exchange;
}

} // namespace

ServerExchangeTiming server_exchange_closed_form(const Machine& machine, const ServerMachine& servers,
                                                 const ServerExchange& exchange) {
  require_usable(machine, servers, exchange);
  const bool slow = machine.slow_nic_factor != 1 || !exchange.slow_ready_s.empty();
  auto timing = slow ? time_shards(without_slow_nic(machine), servers, as_if_on_time(exchange))
                     : time_shards(machine, servers, exchange);
  summarise(machine, servers, exchange, timing);
  return timing;
}

std::vector<double> pass_paths(const std::vector<PathMessage>& messages, double rate_Bps) {
  std::vector<double> free_s;
  std::vector<double> passed_s;
  passed_s.reserve(messages.size());
  for (const PathMessage& message : messages) {
    if (message.path >= free_s.size()) free_s.resize(message.path + 1, 0);
    double& path_free_s = free_s[message.path];
    path_free_s = std::max(path_free_s, message.ready_s) + message.size_bytes / rate_Bps;
    passed_s.push_back(path_free_s);
  }
  return passed_s;
}

} // namespace ddlsim
