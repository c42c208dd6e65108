#include "sim/parameter_server/async.hpp"

#include "sim/network/nic_rate.hpp"
#include "sim/parameter_server/async_network.hpp"
#include "sim/parameter_server/traffic.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <stdexcept>

namespace ddlsim {
namespace {

/// Smallest share of its server's bytes that a merged push has. The last push may be smaller, because it decides when
/// the iteration ends. Merging 40 pushes into 9 changes an iteration by 1 to 2 %, into 5 by 2 to 3 %, into 3 by 4 to 6
/// %.
constexpr double least_push_share = 1.0 / 8;

/// Largest number of customers (workers, in the words of queueing) in the recursion. More workers are grouped into
/// customers, see `ungroup`.
constexpr int most_customers = 512;

/// The values of a network that the recursion reads.
struct Demands {
  double pull_alone_s = 0; ///< time of a transfer when no other worker transfers
  double push_alone_s = 0;
  double station_s = 0;     ///< time of one transfer of a whole group, limited by the station alone
  double busy_s = 0;        ///< station_s while the station is busy in the other direction too
  double same_nic_s = 0;    ///< time of one transfer, limited by the worker's NIC alone
  double neighbours = 0;    ///< share of the other workers that sit on the worker's node
  double slow_share = 0;    ///< share of the workers on node 0, which may be slow
  double hosting_share = 0; ///< share of the workers whose node hosts servers
  double group = 1;         ///< number of workers that a customer of the recursion stands for
};

Demands demands_of(const AsyncNetwork& network, double group) {
  Demands demands;
  demands.group = group;
  demands.pull_alone_s = alone_s(network, network.pull);
  for (const AsyncMessage& push : network.pushes) {
    demands.push_alone_s += alone_s(network, push);
  }
  demands.station_s = group * network.busiest_bytes / network.server_Bps;
  constexpr double directions = 2;
  const double busy_Bps =
      nic_rate_Bps(network.both_ways_Bps, {.sharers = directions, .ceiling_Bps = network.server_Bps});
  demands.busy_s = group * network.busiest_bytes / busy_Bps;
  demands.same_nic_s = network.total_bytes / network.nic_Bps;
  if (network.workers > 1) demands.neighbours = (network.workers_per_node - 1.0) / (network.workers - 1.0);
  demands.slow_share = static_cast<double>(network.workers_per_node) / network.workers;
  demands.hosting_share = std::min(1.0, demands.slow_share * network.serving_nodes);
  return demands;
}

/// Returns the mean time of a transfer that meets `mean` of `others` customers at the station: the mean of max(alone,
/// station (1 + met)). The time is linear in `met`, except for few met customers, whose number is taken as binomial.
double meeting_s(const Demands& demands, double alone_s, int others, double mean) {
  const double crowd = demands.neighbours * demands.same_nic_s;
  const bool nic_decides = crowd > demands.station_s;
  const auto many_s = [&](double met) {
    return nic_decides ? demands.same_nic_s + crowd * met : demands.station_s * (1 + met);
  };
  const auto time_s = [&](double met) {
    return std::max({alone_s, demands.same_nic_s + crowd * met, demands.station_s * (1 + met)});
  };
  double sum_s = many_s(mean);
  if (others == 0) return time_s(0);
  const double chance = std::min(mean / others, 1 - 1e-12);
  double share = std::pow(1 - chance, others);
  for (int met = 0; met <= others && time_s(met) > many_s(met); ++met) {
    sum_s += share * (time_s(met) - many_s(met));
    share *= chance / (1 - chance) * (others - met) / (met + 1);
  }
  return std::max(sum_s, alone_s);
}

/// Returns the demands while on average `against` of `others` customers move bytes in the opposite direction.
Demands beside(Demands demands, int others, double against) {
  if (others == 0 || demands.busy_s == demands.station_s) return demands;
  const double nobody = std::pow(1 - std::min(1.0, against / others), others);
  demands.station_s = nobody * demands.station_s + (1 - nobody) * demands.busy_s;
  return demands;
}

double transfer_s(const AsyncNetwork& network, const Demands& demands, double alone_s, int others, double with,
                  double against, bool hosting) {
  if (network.serving_nodes == 0) return meeting_s(beside(demands, others, against), alone_s, others, with);
  return colocated_transfer_s(network, hosting, with * demands.group, against * demands.group);
}

/// Returns when the pushes end, from the start of compute. `pushing_s` is the time that they would take if all of them
/// were ready at once.
double pushed_s(const AsyncNetwork& network, const AsyncExchange& async, double pushing_s) {
  double end_s = 0;
  for (const AsyncMessage& push : network.pushes) {
    end_s = std::max(end_s, push.ready_s) + pushing_s * push.size_bytes / network.busiest_bytes;
  }
  return std::max({end_s, async.compute_s, network.others_end_s});
}

struct Cycle {
  double pull_s = 0;
  double pushing_s = 0;
  double iteration_s = 0;
};

/// The state of the recursion: how many customers the next one meets.
struct Level {
  int others = 0;
  double pulling = 0; ///< mean number of customers
  double pushing = 0;
};

Cycle next_cycle(const AsyncNetwork& network, const AsyncExchange& async, const Demands& demands, const Level& level,
                 bool hosting) {
  Cycle cycle;
  cycle.pull_s =
      transfer_s(network, demands, demands.pull_alone_s, level.others, level.pulling, level.pushing, hosting);
  cycle.pushing_s =
      transfer_s(network, demands, demands.push_alone_s, level.others, level.pushing, level.pulling, hosting);
  const double usual_s = network.delay_s + cycle.pull_s + pushed_s(network, async, cycle.pushing_s);
  const double slow_s = usual_s + (async.slow_factor - 1) * async.compute_s;
  cycle.iteration_s = 1 / ((1 - demands.slow_share) / usual_s + demands.slow_share / slow_s);
  return cycle;
}

/// Returns the mean cycle of workers, of which `share` host servers. Rates of workers add up, so the mean is over
/// rates.
Cycle mean_cycle(const Cycle& hosting, const Cycle& other, double share) {
  const double rate = share / hosting.iteration_s + (1 - share) / other.iteration_s;
  const auto mean_s = [&](double Cycle::*time_s) {
    return (share / hosting.iteration_s * hosting.*time_s + (1 - share) / other.iteration_s * other.*time_s) / rate;
  };
  return {mean_s(&Cycle::pull_s), mean_s(&Cycle::pushing_s), 1 / rate};
}

/// Runs the mean value analysis, adding one customer at a time.
Cycle solve(const AsyncNetwork& network, const AsyncExchange& async, int customers) {
  const Demands demands = demands_of(network, static_cast<double>(network.workers) / customers);
  Level level;
  Cycle cycle;
  for (int n = 1; n <= customers; ++n) {
    level.others = n - 1;
    cycle = next_cycle(network, async, demands, level, false);
    if (demands.hosting_share > 0) {
      cycle = mean_cycle(next_cycle(network, async, demands, level, true), cycle, demands.hosting_share);
    }
    level.pulling = n * std::min(1.0, cycle.pull_s / cycle.iteration_s);
    level.pushing = n * std::min(1.0, cycle.pushing_s / cycle.iteration_s);
  }
  return cycle;
}

/// Corrects a time for the grouping of k workers into one customer. Grouping enlarges the queueing time. Its share of
/// the time falls as 1 / sqrt(customers) where the station begins to saturate, and faster elsewhere.
double ungroup(double grouped_s, double without_chance_s, double group) {
  if (group <= 1) return grouped_s;
  return without_chance_s + (grouped_s - without_chance_s) / std::sqrt(group);
}

/// Returns the iteration time if queues never formed by chance: the longer of a worker that meets no other, and a
/// station that is always busy.
double without_chance_s(const AsyncNetwork& network, const AsyncExchange& async) {
  const Demands demands = demands_of(network, 1);
  const double alone = network.delay_s + demands.pull_alone_s + pushed_s(network, async, demands.push_alone_s);
  return std::max(alone, network.workers * demands.busy_s);
}

/// Returns how long a worker holds its copy of a parameter, from the middle of its pull on. Other workers update the
/// parameter evenly over time, so staleness is proportional to this time.
double out_s(const AsyncNetwork& network, const Cycle& cycle) {
  double end_s = 0;
  double byte_s = 0;
  for (const AsyncMessage& push : network.pushes) {
    const double size_share = push.size_bytes / network.busiest_bytes;
    end_s = std::max(end_s, push.ready_s) + cycle.pushing_s * size_share;
    byte_s += end_s * size_share;
  }
  return std::min(cycle.iteration_s, 0.5 * cycle.pull_s + network.delay_s + byte_s);
}

} // namespace

AsyncTiming async_closed_form(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async) {
  const AsyncNetwork network = build_async_network(machine, servers, async);
  AsyncTiming timing;
  timing.busiest_server = network.busiest_server;
  if (network.busiest_bytes == 0) {
    timing.iteration_s = async.compute_s;
    timing.updates_per_s = network.workers / timing.iteration_s;
    return timing;
  }
  const int customers = std::min(network.workers, most_customers);
  const Cycle cycle = solve(network, async, customers);
  // Servers may be on many nodes. Then each of them meets as small a share of the customers as of the workers.
  const double group = static_cast<double>(network.workers) / customers / std::max(1, network.serving_nodes);
  timing.iteration_s = ungroup(cycle.iteration_s, without_chance_s(network, async), group);
  timing.updates_per_s = network.workers / timing.iteration_s;
  timing.mean_staleness = (network.workers - 1) * out_s(network, cycle) / cycle.iteration_s;
  timing.busiest_server_share = timing.updates_per_s * network.busiest_bytes / network.server_Bps;
  return timing;
}

namespace {

/// Returns the indices of each server's shards, in order.
std::map<int, std::vector<std::size_t>> shards_by_server(const ServerExchange& exchange) {
  std::map<int, std::vector<std::size_t>> shards;
  for (std::size_t i = 0; i < exchange.shards.size(); ++i) shards[exchange.shards[i].server].push_back(i);
  return shards;
}

/// Merges the pushes of one server.
void merge_pushes(const std::vector<std::size_t>& queue, ServerExchange& exchange) {
  double all_bytes = 0;
  for (const std::size_t shard : queue) all_bytes += exchange.shards[shard].size_bytes;
  const double last_s = exchange.ready_s[queue.back()];
  std::vector<std::size_t> merged;
  double merged_bytes = 0;
  const auto push = [&] {
    for (const std::size_t shard : merged) exchange.ready_s[shard] = exchange.ready_s[merged.back()];
    merged.clear();
    merged_bytes = 0;
  };
  for (const std::size_t shard : queue) {
    const bool goes_on = !merged.empty() && exchange.ready_s[shard] == exchange.ready_s[merged.back()];
    if (!goes_on && (merged_bytes >= least_push_share * all_bytes || exchange.ready_s[shard] == last_s)) push();
    merged.push_back(shard);
    merged_bytes += exchange.shards[shard].size_bytes;
  }
  push();
}

} // namespace

AsyncExchange with_fewer_pushes(AsyncExchange async) {
  for (const auto& [server, queue] : shards_by_server(async.exchange)) merge_pushes(queue, async.exchange);
  return async;
}

double messages_of_iteration(const ServerExchange& exchange) {
  double messages = 0;
  for (const auto& [server, queue] : shards_by_server(exchange)) {
    messages += 2; // one message for the pull and one for the first push
    for (std::size_t i = 1; i < queue.size(); ++i)
      if (exchange.ready_s[queue[i]] != exchange.ready_s[queue[i - 1]]) ++messages;
  }
  return messages;
}

void require_usable(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async) {
  require_usable(machine, servers, async.exchange);
  if (!(async.compute_s > 0) || !(async.compute_spread >= 0) || !(async.slow_factor > 0)) {
    throw std::invalid_argument("asynchronous servers: compute and slow_factor must be above zero, spread not below");
  }
}

} // namespace ddlsim
