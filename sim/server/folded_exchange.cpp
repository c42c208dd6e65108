#include "sim/server/folded_exchange.hpp"

#include "sim/server/folded_links.hpp"
#include "sim/server/traffic.hpp"

#include <algorithm>
#include <limits>

namespace ddlsim {
namespace {

constexpr double never_s = std::numeric_limits<double>::infinity();

/// What is left of a message when rounding alone keeps it from its end, as a share of its size.
constexpr double rounding_share = 1e-12;

/// One shard of the servers of a class.
struct ShardState {
  double size_bytes = 0;
  double ready_s = 0;
  double slow_ready_s = 0;
  int copies_to_come = 0; ///< classes of copies
  double summed_s = 0;    ///< when the last copy so far was in
  double pulled_s = 0;    ///< by the slowest worker so far
};
using ShardQueue = std::vector<ShardState>;

/// One direction of a class of connections: sends its shards in order, one at a time.
struct Lane {
  ShardQueue* queue = nullptr;
  bool push = true;
  bool slow = false;
  double delay_s = 0;
  std::size_t head = 0;
  bool under_way = false;
  double left_bytes = 0;
  double rate_Bps = 0;
};

std::vector<ShardQueue> make_queues(const Machine& machine, const ServerMachine& servers,
                                    const ServerExchange& exchange, const ServerClasses& classes) {
  const std::vector<double> sizes_bytes = message_sizes(machine, servers, exchange);
  const std::vector<double>& slow_s = exchange.slow_ready_s.empty() ? exchange.ready_s : exchange.slow_ready_s;
  std::vector<ShardQueue> queues;
  for (const ServerClass& server : classes.servers) {
    ShardQueue& queue = queues.emplace_back();
    for (const std::size_t shard : server.shards) {
      queue.push_back({sizes_bytes[shard], exchange.ready_s[shard], slow_s[shard]});
    }
  }
  for (const ConnectionClass& connection : classes.connections) {
    for (ShardState& shard : queues[connection.server_class]) {
      ++shard.copies_to_come;
    }
  }
  return queues;
}

std::vector<Lane> make_lanes(const Machine& machine, const ServerClasses& classes, std::vector<ShardQueue>& queues) {
  std::vector<Lane> lanes;
  for (const ConnectionClass& connection : classes.connections) {
    const bool local = connection.distance == Distance::same_node;
    Lane lane{&queues[connection.server_class], true, classes.nodes[connection.node_class].slow,
              local ? machine.intra_latency_s : machine.net_latency_s};
    lanes.push_back(lane);
    lane.push = false;
    lanes.push_back(lane);
  }
  return lanes;
}

/// The state of the exchange at `now_s`; lane i is flow i of the links.
struct Fluid {
  MaxMin links;
  std::vector<Lane> lanes;
  double now_s = 0;
};

/// When the first shard of a lane's queue may go, as far as is known.
double available_s(const Lane& lane) {
  const ShardState& shard = (*lane.queue)[lane.head];
  if (lane.push) return lane.slow ? shard.slow_ready_s : shard.ready_s;
  return shard.copies_to_come > 0 ? never_s : shard.summed_s;
}

void finish_head(Lane& lane, double now_s) {
  ShardState& shard = (*lane.queue)[lane.head];
  double& last_s = lane.push ? shard.summed_s : shard.pulled_s;
  last_s = std::max(last_s, now_s + lane.delay_s);
  if (lane.push) --shard.copies_to_come;
  lane.under_way = false;
  ++lane.head;
}

/// Begins what may begin. Rates are shared anew only when a lane falls silent or speaks up: one that goes on with its
/// next shard leaves the others' shares as they are.
void begin_heads(Fluid& fluid) {
  bool changed = false;
  for (std::size_t i = 0; i < fluid.lanes.size(); ++i) {
    Lane& lane = fluid.lanes[i];
    if (!lane.under_way && lane.head < lane.queue->size() && available_s(lane) <= fluid.now_s) {
      lane.under_way = true;
      lane.left_bytes = (*lane.queue)[lane.head].size_bytes;
    }
    if (lane.under_way == fluid.links.is_active(i)) continue;
    fluid.links.set_active(i, lane.under_way);
    changed = true;
  }
  if (!changed) return;
  fluid.links.settle();
  for (std::size_t i = 0; i < fluid.lanes.size(); ++i) {
    fluid.lanes[i].rate_Bps = fluid.links.rate_Bps(i);
  }
}

/// Time until a message ends or a waiting one may begin.
double next_change_s(const Fluid& fluid) {
  double wait_s = never_s;
  for (const Lane& lane : fluid.lanes) {
    if (lane.under_way) {
      wait_s = std::min(wait_s, lane.left_bytes / lane.rate_Bps);
    } else if (lane.head < lane.queue->size()) {
      wait_s = std::min(wait_s, available_s(lane) - fluid.now_s);
    }
  }
  return wait_s;
}

void advance(Fluid& fluid, double wait_s) {
  fluid.now_s += wait_s;
  for (Lane& lane : fluid.lanes) {
    if (!lane.under_way) continue;
    lane.left_bytes -= wait_s * lane.rate_Bps;
    if (lane.left_bytes <= rounding_share * (*lane.queue)[lane.head].size_bytes) finish_head(lane, fluid.now_s);
  }
}

void run(Fluid& fluid) {
  begin_heads(fluid);
  double wait_s = next_change_s(fluid);
  while (wait_s < never_s) {
    advance(fluid, wait_s);
    begin_heads(fluid);
    wait_s = next_change_s(fluid);
  }
}

} // namespace

ServerExchangeTiming server_exchange_folded(const Machine& machine, const ServerMachine& servers,
                                            const ServerExchange& exchange) {
  require_usable(machine, servers, exchange);
  const ServerClasses classes = find_server_classes(machine, servers, exchange);
  std::vector<ShardQueue> queues = make_queues(machine, servers, exchange, classes);
  Fluid fluid{make_folded_links(machine, servers, exchange, classes), make_lanes(machine, classes, queues)};
  run(fluid);
  ServerExchangeTiming timing;
  timing.pulled_s.reserve(exchange.shards.size());
  for (const ShardRole& shard : classes.shards) {
    timing.pulled_s.push_back(queues[shard.server_class][shard.position].pulled_s);
  }
  summarise(machine, servers, exchange, timing);
  return timing;
}

std::optional<std::string> why_server_exchange_not_folded(const Machine& machine, const ServerMachine& servers,
                                                          const ServerExchange& exchange) {
  (void)machine, (void)servers, (void)exchange;
  return std::nullopt;
}

} // namespace ddlsim
