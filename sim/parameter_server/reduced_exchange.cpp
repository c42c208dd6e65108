#include "sim/parameter_server/reduced_exchange.hpp"

#include "sim/parameter_server/lanes.hpp"
#include "sim/parameter_server/server_classes.hpp"
#include "sim/parameter_server/traffic.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

/// One shard of the servers of a class.
struct ShardState {
  double size_bytes = 0;
  double ready_s = 0;
  double slow_ready_s = 0;
  int copies_to_come = 0;             ///< classes of copies
  double summed_s = 0;                ///< when the last copy so far was in
  double pulled_s = 0;                ///< by the slowest worker so far
  std::vector<std::size_t> waiting{}; ///< lanes that pull next and wait for the sum
};
using ShardQueue = std::vector<ShardState>;

/// One direction of a class of connections: sends its shards in order, one at a time.
struct CopyLane {
  ShardQueue* queue = nullptr;
  bool push = true;
  bool slow = false;
  double delay_s = 0;
  std::size_t head = 0;
  bool under_way = false;
};

std::vector<ShardQueue> make_queues(const Machine& machine, const ServerMachine& servers,
                                    const ServerExchange& exchange, const ServerClasses& classes,
                                    const std::vector<ConnectionClass>& connections) {
  const std::vector<double> sizes_bytes = message_sizes(machine, servers, exchange);
  const std::vector<double>& slow_s = exchange.slow_ready_s.empty() ? exchange.ready_s : exchange.slow_ready_s;
  std::vector<ShardQueue> queues;
  for (const ServerClass& server : classes.servers) {
    ShardQueue& queue = queues.emplace_back();
    for (const std::size_t shard : server.shards) {
      queue.push_back({sizes_bytes[shard], exchange.ready_s[shard], slow_s[shard]});
    }
  }
  for (const ConnectionClass& connection : connections) {
    for (ShardState& shard : queues[connection.server_class]) {
      ++shard.copies_to_come;
    }
  }
  return queues;
}

std::vector<CopyLane> make_lanes(const Machine& machine, const ServerClasses& classes,
                                 const std::vector<ConnectionClass>& connections, std::vector<ShardQueue>& queues) {
  std::vector<CopyLane> lanes;
  for (const ConnectionClass& connection : connections) {
    const bool local = connection.distance == Distance::same_node;
    CopyLane lane{&queues[connection.server_class], true, classes.nodes[connection.node_class].slow,
                  local ? machine.intra_latency_s : machine.net_latency_s};
    lanes.push_back(lane);
    lane.push = false;
    lanes.push_back(lane);
  }
  return lanes;
}

/// The message that a lane has under way.
struct CopyMessage {
  double left_bytes = 0;
  double end_bytes = 0; ///< it has ended when no more than this is left
};

/// The state of the exchange at `now_s`; lane i is flow i of the links.
struct CopyFluid {
  MaxMin links;
  std::vector<CopyLane> lanes;
  std::vector<CopyMessage> messages; ///< of each lane
  double end_share;
  double now_s = 0;
  Waits waits{};
  std::vector<std::size_t> just_ended{}; ///< lanes without a message at this moment; they may start another
  bool shares_hold = true;
};

ShardState& head_of(const CopyLane& lane) {
  return (*lane.queue)[lane.head];
}

/// Makes the lane wait for its next shard, if there is one: until a known time, else for the last copy.
void wait_for_head(CopyFluid& fluid, std::size_t index) {
  const CopyLane& lane = fluid.lanes[index];
  if (lane.head == lane.queue->size()) return;
  ShardState& shard = head_of(lane);
  if (lane.push) {
    fluid.waits.push({lane.slow ? shard.slow_ready_s : shard.ready_s, index});
  } else if (shard.copies_to_come > 0) {
    shard.waiting.push_back(index);
  } else {
    fluid.waits.push({shard.summed_s, index});
  }
}

/// The last copy wakes the lanes that wait for the sum.
void count_copy(CopyFluid& fluid, ShardState& shard) {
  --shard.copies_to_come;
  if (shard.copies_to_come > 0) return;
  for (const std::size_t lane : shard.waiting) {
    fluid.waits.push({shard.summed_s, lane});
  }
}

void finish_head(CopyFluid& fluid, std::size_t index) {
  CopyLane& lane = fluid.lanes[index];
  ShardState& shard = head_of(lane);
  double& last_s = lane.push ? shard.summed_s : shard.pulled_s;
  last_s = std::max(last_s, fluid.now_s + lane.delay_s);
  if (lane.push) count_copy(fluid, shard);
  lane.under_way = false;
  ++lane.head;
  fluid.just_ended.push_back(index);
  wait_for_head(fluid, index);
}

/// Starts the messages that may start. Rates are shared anew only when a lane stops or starts; one that goes on with
/// its next shard leaves the others' shares as they are.
void begin_heads(CopyFluid& fluid) {
  while (!fluid.waits.empty() && fluid.waits.top().until_s <= fluid.now_s) {
    const std::size_t index = fluid.waits.top().lane;
    fluid.waits.pop();
    fluid.lanes[index].under_way = true;
    const double size_bytes = head_of(fluid.lanes[index]).size_bytes;
    fluid.messages[index] = {size_bytes, fluid.end_share * size_bytes};
    fluid.shares_hold = fluid.shares_hold && fluid.links.is_active(index);
    fluid.links.set_active(index, true);
  }
  for (const std::size_t index : fluid.just_ended) {
    fluid.shares_hold = fluid.shares_hold && fluid.lanes[index].under_way;
    fluid.links.set_active(index, fluid.lanes[index].under_way);
  }
  fluid.just_ended.clear();
  if (fluid.shares_hold) return;
  fluid.links.settle();
  fluid.shares_hold = true;
}

/// Time until a message ends or a waiting one may begin.
double next_change_s(const CopyFluid& fluid) {
  double wait_s = fluid.waits.empty() ? never_s : fluid.waits.top().until_s - fluid.now_s;
  for (const std::size_t lane : fluid.links.active()) {
    wait_s = std::min(wait_s, fluid.messages[lane].left_bytes / fluid.links.rate_Bps(lane));
  }
  return wait_s;
}

void advance(CopyFluid& fluid, double wait_s) {
  fluid.now_s += wait_s;
  for (const std::size_t index : fluid.links.active()) {
    CopyMessage& message = fluid.messages[index];
    message.left_bytes -= wait_s * fluid.links.rate_Bps(index);
    if (message.left_bytes <= message.end_bytes) finish_head(fluid, index);
  }
}

} // namespace

ServerExchangeTiming server_exchange_reduced(const Machine& machine, const ServerMachine& servers,
                                             const ServerExchange& exchange, double end_share) {
  require_usable(machine, servers, exchange);
  const auto known = server_classes_of(machine, servers, exchange);
  const ServerClasses& classes = *known;
  const std::vector<ConnectionClass> connections = find_connection_classes(classes);
  std::vector<ShardQueue> queues = make_queues(machine, servers, exchange, classes, connections);
  CopyFluid fluid{make_reduced_links(machine, servers, exchange, classes, connections),
                  make_lanes(machine, classes, connections, queues), std::vector<CopyMessage>(2 * connections.size()),
                  end_share};
  run_lanes(fluid);
  ServerExchangeTiming timing;
  timing.summed_s.reserve(exchange.shards.size());
  timing.pulled_s.reserve(exchange.shards.size());
  for (const ShardRole& role : classes.shards) {
    const ShardState& shard = queues[role.server_class][role.position];
    timing.summed_s.push_back(shard.summed_s);
    timing.pulled_s.push_back(shard.pulled_s);
  }
  summarise(machine, servers, exchange, timing);
  return timing;
}

std::size_t count_unlike_connections(const Machine& machine, const ServerMachine& servers,
                                     const ServerExchange& exchange) {
  require_usable(machine, servers, exchange);
  return count_connection_classes(*server_classes_of(machine, servers, exchange));
}

std::optional<std::string> why_too_many_classes(const Machine& machine, const ServerMachine& servers,
                                                const ServerExchange& exchange, std::size_t most_connections) {
  const std::size_t connections = count_unlike_connections(machine, servers, exchange);
  if (connections <= most_connections) return std::nullopt;
  return std::to_string(connections) +
         " connections between workers and servers each play a role of their own, and at most " +
         std::to_string(most_connections) + " are taken";
}

MaxMin make_reduced_links(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
                          const ServerClasses& classes, const std::vector<ConnectionClass>& connections) {
  MaxMin links(servers.connection_Bps);
  const auto all = find_class_links(machine, servers, exchange, classes, connections);
  for (const ClassLink& link : all.links) links.add_link(link.rate_Bps);
  for (const auto& ways : all.ways) {
    links.add_flow(ways.push);
    links.add_flow(ways.pull);
  }
  return links;
}

} // namespace ddlsim
