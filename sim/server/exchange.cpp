#include "sim/server/exchange.hpp"

#include "sim/server/fair_share.hpp"
#include "sim/server/server_classes.hpp"
#include "sim/server/traffic.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace ddlsim {
namespace {

constexpr double never_s = std::numeric_limits<double>::infinity();

/// What is left of a message when rounding alone keeps it from its end, as a share of its size.
constexpr double rounding_share = 1e-12;

/// One direction of the servers of a class: a FIFO of shards, of which the first may be under way.
struct Lane {
  std::size_t server_class = 0;
  bool push = true;
  std::vector<std::size_t> queue; ///< shards of one such server, in order
  std::size_t head = 0;
  bool under_way = false;
  double left_bytes = 0;
  double rate_Bps = 0;
};

/// The state of the exchange at `now_s`. Of alike servers the shards of one are followed.
struct Fluid {
  Fluid(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
        const ServerClasses& classes)
      : share(machine, servers, exchange, classes), sizes_bytes(message_sizes(machine, servers, exchange)),
        latency_s(copy_latency_s(machine, servers, exchange)), pushable_s(exchange.ready_s),
        pullable_s(exchange.shards.size(), never_s), pulled_s(exchange.shards.size(), never_s) {
    for (std::size_t server = 0; server < classes.servers.size(); ++server) {
      lanes.push_back({server, true, classes.servers[server].shards});
      lanes.push_back({server, false, classes.servers[server].shards});
    }
  }

  double available_s(const Lane& lane) const {
    const std::size_t shard = lane.queue[lane.head];
    return lane.push ? pushable_s[shard] : pullable_s[shard];
  }

  FairShare share;
  std::vector<double> sizes_bytes;
  double latency_s;
  std::vector<double> pushable_s;
  std::vector<double> pullable_s;
  std::vector<double> pulled_s;
  std::vector<Lane> lanes;
  double now_s = 0;
};

void finish_head(Fluid& fluid, Lane& lane) {
  const std::size_t shard = lane.queue[lane.head];
  (lane.push ? fluid.pullable_s : fluid.pulled_s)[shard] = fluid.now_s + fluid.latency_s;
  lane.under_way = false;
  ++lane.head;
  fluid.share.set_busy(lane.server_class, lane.push, false);
}

void begin_heads(Fluid& fluid) {
  for (Lane& lane : fluid.lanes) {
    if (lane.under_way || lane.head == lane.queue.size() || fluid.available_s(lane) > fluid.now_s) continue;
    lane.under_way = true;
    lane.left_bytes = fluid.sizes_bytes[lane.queue[lane.head]];
    fluid.share.set_busy(lane.server_class, lane.push, true);
  }
}

void set_rates(Fluid& fluid) {
  fluid.share.settle();
  for (Lane& lane : fluid.lanes) {
    if (!lane.under_way) continue;
    lane.rate_Bps = fluid.share.rate_Bps(lane.server_class, lane.push);
  }
}

/// Time until a message ends or a waiting one may begin.
double next_change_s(const Fluid& fluid) {
  double wait_s = never_s;
  for (const Lane& lane : fluid.lanes) {
    if (lane.under_way) {
      wait_s = std::min(wait_s, lane.left_bytes / lane.rate_Bps);
    } else if (lane.head < lane.queue.size()) {
      wait_s = std::min(wait_s, fluid.available_s(lane) - fluid.now_s);
    }
  }
  return wait_s;
}

void advance(Fluid& fluid, double wait_s) {
  for (Lane& lane : fluid.lanes) {
    if (lane.under_way) lane.left_bytes -= wait_s * lane.rate_Bps;
  }
  fluid.now_s += wait_s;
  for (Lane& lane : fluid.lanes) {
    const bool ends = lane.under_way && lane.left_bytes <= rounding_share * fluid.sizes_bytes[lane.queue[lane.head]];
    if (ends) finish_head(fluid, lane);
  }
}

} // namespace

ServerExchangeTiming server_exchange_closed_form(const Machine& machine, const ServerMachine& servers,
                                                 const ServerExchange& exchange) {
  require_usable(machine, servers, exchange);
  Machine alike = machine; // the formula knows no slow node
  alike.slow_nic_factor = 1;
  ServerExchange on_time = exchange;
  on_time.slow_ready_s.clear();
  const ServerClasses classes = find_server_classes(alike, servers, on_time);
  Fluid fluid(alike, servers, on_time, classes);
  begin_heads(fluid);
  set_rates(fluid);
  double wait_s = next_change_s(fluid);
  while (wait_s < never_s) {
    advance(fluid, wait_s);
    begin_heads(fluid);
    set_rates(fluid);
    wait_s = next_change_s(fluid);
  }
  ServerExchangeTiming timing;
  for (const ShardRole& role : classes.shards) {
    timing.pulled_s.push_back(fluid.pulled_s[classes.servers[role.server_class].shards[role.position]]);
  }
  summarise(machine, servers, exchange, timing);
  return timing;
}

} // namespace ddlsim
