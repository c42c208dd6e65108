#include "sim/parameter_server/async_groups.hpp"

#include "sim/network/nic_rate.hpp"
#include "sim/parameter_server/async_draws.hpp"
#include "sim/parameter_server/traffic.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace ddlsim {
namespace {

/// Number of messages that SimGrid runs in a second where hardly any other is under way; each takes 3 to 4 us.
constexpr double messages_of_a_second = 2.5e5;

/// Number of connections at which a message takes twice as long, because SimGrid shares links again for each message.
/// Measured: 4.5 us with 64 connections, 11 us with 256, 32 us with 1,024.
constexpr double connections_a_message = 96;

/// Number of rounds after which the mean is known to 1 or 2 %. A run that would take too long has fewer workers, and
/// not fewer rounds.
constexpr int enough_rounds = 8;

/// Largest number of rounds of a run. Rounds of few workers are cheap, but more rounds add nothing: the mean is known
/// to half a per cent.
constexpr int most_rounds_of_run = 100;

/// Smallest number of nodes of a run. Fewer would show little of how queues behave.
constexpr int fewest_nodes = 4;

/// Number of dedicated servers that a run always has, if the job has that many. It is also the largest number of
/// servers of a node that are not merged where all nodes are run.
constexpr int few_servers = 4;

/// Smallest share of the nodes on which servers are run as colocated; on fewer nodes they are run as dedicated ones.
constexpr double least_hosting_share = 1.0 / 20;

int hosts_of(const Machine& machine, const ServerMachine& servers) {
  return servers.dedicated ? servers.servers : std::min(servers.servers, machine.nodes());
}

/// Returns the servers of a run with `nodes` nodes.
ServerMachine servers_of_run(const Machine& machine, const ServerMachine& servers, int nodes) {
  const int hosts = hosts_of(machine, servers);
  ServerMachine run = servers;
  if (nodes == machine.nodes() && servers.servers <= few_servers * nodes) return run;
  const double share = 1.0 * nodes / machine.nodes();
  const int in_proportion = std::max(1, static_cast<int>(std::lround(share * hosts)));
  run.dedicated = servers.dedicated || hosts < least_hosting_share * machine.nodes();
  run.servers = run.dedicated ? std::min(hosts, std::max(few_servers, std::min(in_proportion, nodes))) : in_proportion;
  const double together = 1.0 * servers.servers / run.servers;
  run.process_Bps *= share * together;
  run.connection_Bps *= together;
  if (run.dedicated) run.nic_share = share * hosts / run.servers;
  return run;
}

/// Returns the largest number of nodes up to `nodes` with which each has as many servers as in the whole job.
int nodes_that_fit(const Machine& machine, const ServerMachine& servers, int nodes) {
  const int hosts = hosts_of(machine, servers);
  if (servers.dedicated || hosts < least_hosting_share * machine.nodes()) return nodes;
  const double nodes_a_host = 1.0 * machine.nodes() / hosts;
  return static_cast<int>(std::lround(std::floor(nodes / nodes_a_host) * nodes_a_host));
}

Machine machine_of_run(Machine machine, bool dedicated, int nodes) {
  const double share = 1.0 * nodes / machine.nodes();
  machine.ranks = std::min(machine.ranks, nodes * machine.ranks_per_node);
  if (machine.nodes_per_leaf > 0) {
    const int of_leaf = std::max(1, static_cast<int>(std::lround(share * machine.nodes_per_leaf)));
    machine.uplink_Bps = nic_rate_Bps(machine.uplink_Bps, {.joined = 1.0 * of_leaf / machine.nodes_per_leaf});
    machine.nodes_per_leaf = of_leaf;
  }
  // A colocated server on the slow node delays all workers, however many there are.
  if (dedicated) machine.slow_nic_factor = 1 + share * (machine.slow_nic_factor - 1);
  return machine;
}

/// Returns the rank of each server host by its bytes; the fullest host is 0.
std::vector<int> places_by_load(const ServerExchange& exchange, const std::vector<double>& sizes_bytes, int hosts) {
  std::vector<double> loads_bytes(at(hosts), 0.0);
  for (std::size_t i = 0; i < sizes_bytes.size(); ++i)
    loads_bytes[at(exchange.shards[i].server % hosts)] += sizes_bytes[i];
  std::vector<int> order(at(hosts));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return loads_bytes[at(a)] > loads_bytes[at(b)]; });
  std::vector<int> places(at(hosts));
  for (int place = 0; place < hosts; ++place) places[at(order[at(place)])] = place;
  return places;
}

/// The shards of an exchange whose servers were merged.
struct MergedShards {
  ServerExchange& exchange;
  std::vector<std::size_t> last; ///< index after the last shard of each server; 0: it has none

  void add(const Shard& shard, int server, double size_bytes, double ready_s) {
    std::size_t& behind = last[at(server)];
    if (behind == 0 || exchange.ready_s[behind - 1] != ready_s) {
      exchange.shards.push_back({shard.tensor, server, 0});
      exchange.ready_s.push_back(ready_s);
      behind = exchange.shards.size();
    }
    exchange.shards[behind - 1].size_bytes += size_bytes;
  }
};

/// Returns the exchange with merged servers. Host h in order of bytes is the interval [h, h + 1) of a line that the
/// servers of the run divide evenly, so equal servers stay equal.
ServerExchange exchange_of_run(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
                               int run) {
  const int hosts = hosts_of(machine, servers);
  const auto sizes_bytes = message_sizes(machine, servers, exchange);
  const auto places = places_by_load(exchange, sizes_bytes, hosts);
  ServerExchange grouped;
  grouped.messages_per_node = exchange.messages_per_node;
  MergedShards merged{grouped, std::vector<std::size_t>(at(run), 0)};
  for (std::size_t i = 0; i < sizes_bytes.size(); ++i) {
    // counts in parts of 1 / hosts
    std::int64_t begin = std::int64_t{places[at(exchange.shards[i].server % hosts)]} * run;
    const std::int64_t end = begin + run;
    while (begin < end) {
      const std::int64_t server = begin / hosts;
      const std::int64_t until = std::min(end, (server + 1) * hosts);
      merged.add(exchange.shards[i], static_cast<int>(server),
                 sizes_bytes[i] * static_cast<double>(until - begin) / run, exchange.ready_s[i]);
      begin = until;
    }
  }
  return grouped;
}

AsyncGroups group_to(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async, int nodes) {
  AsyncGroups groups{machine, servers_of_run(machine, servers, nodes), async};
  groups.is_whole = nodes == machine.nodes() && groups.servers.servers == servers.servers;
  if (!groups.is_whole) {
    groups.machine = machine_of_run(machine, groups.servers.dedicated, nodes);
    groups.async.slow_factor = 1 + (async.slow_factor - 1) * nodes / machine.nodes();
    groups.async.exchange = exchange_of_run(machine, servers, async.exchange, groups.servers.servers);
  }
  groups.async = with_fewer_pushes(groups.async);
  return groups;
}

double work_of_round(const AsyncGroups& groups) {
  const int workers = groups.machine.nodes() * groups.async.exchange.messages_per_node;
  const double connections = 1.0 * workers * groups.servers.servers;
  return round_iterations * workers * messages_of_iteration(groups.async.exchange) *
         (1 + connections / connections_a_message);
}

} // namespace

AsyncGroups group_asynchronous(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async,
                               int most_workers) {
  const int fewest = std::min(machine.nodes(), fewest_nodes);
  const int most = std::min(machine.nodes(), most_workers / async.exchange.messages_per_node);
  int nodes = std::max(fewest, nodes_that_fit(machine, servers, most));
  AsyncGroups groups = group_to(machine, servers, async, nodes);
  while (nodes > fewest && enough_rounds * work_of_round(groups) > messages_of_a_second) {
    nodes = std::max(fewest, nodes_that_fit(machine, servers, nodes * 3 / 4));
    groups = group_to(machine, servers, async, nodes);
  }
  const double rounds = messages_of_a_second / work_of_round(groups);
  groups.rounds = std::max(1, static_cast<int>(std::min<double>(most_rounds_of_run, rounds)));
  return groups;
}

} // namespace ddlsim
