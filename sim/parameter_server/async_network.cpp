#include "sim/parameter_server/async_network.hpp"

#include "sim/network/nic_rate.hpp"
#include "sim/parameter_server/traffic.hpp"

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

/// Bytes on each server, of all its shards or of those that are ready at one moment.
using Loads = std::vector<double>;

/// Returns the flow to server `busiest`. The flows to the other servers share the worker's NIC evenly with it, and
/// those with smaller loads end one after another.
AsyncMessage make_message(const Loads& loads_bytes, std::size_t busiest, double ready_s) {
  AsyncMessage message{ready_s, loads_bytes[busiest], {}};
  Loads sorted = loads_bytes;
  std::erase(sorted, 0.0);
  std::sort(sorted.begin(), sorted.end());
  double done_bytes = 0;
  for (std::size_t i = 0; i < sorted.size() && done_bytes < message.size_bytes; ++i) {
    if (sorted[i] <= done_bytes) continue;
    const double until_bytes = std::min(sorted[i], message.size_bytes);
    message.segments.push_back({until_bytes - done_bytes, static_cast<int>(sorted.size() - i)});
    done_bytes = until_bytes;
  }
  return message;
}

/// Returns the limit that leaf uplinks set to the station: those of its own leaf, which it shares with the other
/// servers there, and those of all workers.
double uplink_bound_Bps(const Machine& machine, const ServerMachine& servers, const AsyncNetwork& network) {
  const int last_node = servers.dedicated ? machine.nodes() + servers.servers - 1 : machine.nodes() - 1;
  const int leaves = leaf_of_node(machine, last_node) + 1;
  if (leaves == 1) return unlimited_Bps;
  const int worker_leaves = leaf_of_node(machine, machine.nodes() - 1) + 1;
  const double in_a_leaf = std::min(machine.nodes_per_leaf, servers.servers);
  const double crossing = servers.dedicated ? 1.0 : 1 - 1.0 / leaves;
  const double of_all = network.busiest_bytes / network.total_bytes;
  return nic_rate_Bps(machine.uplink_Bps,
                      {.joined = std::min(1 / in_a_leaf, worker_leaves * of_all), .sharers = crossing});
}

void add_pushes(AsyncNetwork& network, const ServerExchange& exchange, const std::vector<double>& sizes_bytes,
                std::size_t servers) {
  const auto busiest = static_cast<std::size_t>(network.busiest_server);
  for (std::size_t i = 0; i < sizes_bytes.size();) {
    Loads loads_bytes(servers, 0.0);
    const double ready_s = exchange.ready_s[i];
    for (; i < sizes_bytes.size() && exchange.ready_s[i] == ready_s; ++i) {
      loads_bytes[static_cast<std::size_t>(exchange.shards[i].server)] += sizes_bytes[i];
    }
    if (loads_bytes[busiest] > 0) network.pushes.push_back(make_message(loads_bytes, busiest, ready_s));
    loads_bytes[busiest] = 0;
    const double largest_bytes = *std::max_element(loads_bytes.begin(), loads_bytes.end());
    const double alone_Bps = std::min({network.server_Bps, network.connection_Bps});
    if (network.serving_nodes == 0)
      network.others_end_s = std::max(network.others_end_s, ready_s + largest_bytes / alone_Bps);
  }
}

} // namespace

AsyncNetwork build_async_network(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async) {
  const ServerExchange& exchange = async.exchange;
  const std::vector<double> sizes_bytes = message_sizes(machine, servers, exchange);
  Loads loads_bytes(static_cast<std::size_t>(servers.servers), 0.0);
  for (std::size_t i = 0; i < sizes_bytes.size(); ++i) {
    loads_bytes[static_cast<std::size_t>(exchange.shards[i].server)] += sizes_bytes[i];
  }
  const auto busiest = std::max_element(loads_bytes.begin(), loads_bytes.end());
  AsyncNetwork network;
  network.workers = machine.nodes() * exchange.messages_per_node;
  network.workers_per_node = exchange.messages_per_node;
  network.busiest_server = static_cast<int>(busiest - loads_bytes.begin());
  network.busiest_bytes = *busiest;
  for (const double load_bytes : loads_bytes) {
    network.total_bytes += load_bytes;
  }
  if (!servers.dedicated) {
    Loads hosts_bytes(static_cast<std::size_t>(machine.nodes()), 0.0);
    for (std::size_t server = 0; server < loads_bytes.size(); ++server) {
      hosts_bytes[server % hosts_bytes.size()] += loads_bytes[server];
    }
    network.host_bytes = *std::max_element(hosts_bytes.begin(), hosts_bytes.end());
  }
  network.delay_s = 2 * copy_latency_s(machine, servers, exchange);
  network.serving_nodes = servers.dedicated ? 0 : std::min(servers.servers, machine.nodes());
  network.process_Bps = servers.process_Bps > 0 ? servers.process_Bps : unlimited_Bps;
  network.loopback_Bps = machine.intra_Bps;
  const bool by_network = copies_at_server(machine, servers, exchange).remote > 0;
  network.nic_Bps = by_network ? machine.nic_Bps : machine.intra_Bps;
  network.both_ways_Bps = unlimited_Bps;
  if (by_network && machine.directions_share_limit()) {
    network.both_ways_Bps = nic_rate_Bps(machine.both_ways_Bps(), {.joined = servers.nic_share});
    network.nic_Bps = nic_rate_Bps(machine.nic_Bps, {.ceiling_Bps = machine.both_ways_Bps()});
  }
  network.connection_Bps = servers.connection_Bps > 0 ? servers.connection_Bps : unlimited_Bps;
  network.server_Bps = nic_rate_Bps(network.nic_Bps, {.joined = servers.nic_share, .ceiling_Bps = network.process_Bps});
  if (network.busiest_bytes == 0) return network;
  network.server_Bps = std::min(network.server_Bps, uplink_bound_Bps(machine, servers, network));
  network.pull = make_message(loads_bytes, static_cast<std::size_t>(network.busiest_server), 0);
  add_pushes(network, exchange, sizes_bytes, loads_bytes.size());
  return network;
}

double alone_s(const AsyncNetwork& network, const AsyncMessage& message) {
  double time_s = 0;
  for (const AsyncSegment& segment : message.segments) {
    const double ceiling_Bps = std::min(network.server_Bps, network.connection_Bps);
    time_s += segment.size_bytes /
              nic_rate_Bps(network.nic_Bps, {.sharers = 1.0 * segment.flows, .ceiling_Bps = ceiling_Bps});
  }
  return time_s;
}

double colocated_transfer_s(const AsyncNetwork& network, bool hosting, double with, double against) {
  const double hosts = network.serving_nodes;
  const double workers = network.workers;
  const double a_node = network.workers_per_node;
  const double host_s = network.host_bytes / network.nic_Bps;
  const double process_s = network.busiest_bytes / std::min(network.process_Bps, network.connection_Bps);
  const double local_s = a_node * network.host_bytes / network.loopback_Bps;
  const double remote_hosts = hosting ? hosts - 1 : hosts;
  // A worker on one of the other nodes with servers probably moves bytes in the other direction, and then shares that
  // node's NIC by flows.
  const auto some_of = [&](double moving) {
    return 1 - std::pow(1 - std::min(1.0, moving / workers), remote_hosts * a_node);
  };
  const double queue = with * std::max(0.0, 1 - a_node * (hosting ? 2 : 1) / workers);
  double transfer_s = std::max(local_s, process_s);
  if (network.process_Bps < unlimited_Bps) {
    transfer_s = std::max(transfer_s, network.busiest_bytes / network.process_Bps * (1 + with));
  }
  if (remote_hosts == 0) return transfer_s;
  const double remote_bytes = network.total_bytes * remote_hosts / hosts;
  const double total_s = remote_bytes / network.nic_Bps;
  const double at_host_s = host_s * (1 + queue + (hosts - 1) * some_of(against));
  const double own_s = hosting ? total_s * (1 + against / remote_hosts) : total_s;
  // The time of both directions of a NIC together; 0 where they share no limit. Workers that move bytes in the opposite
  // direction use it too.
  const double opposite = against * std::max(0.0, 1 - a_node / workers);
  const double both_at_host_s = network.host_bytes / network.both_ways_Bps *
                                (1 + queue + opposite + (hosts - 1) * (some_of(against) + some_of(with)));
  const double both_own_s = remote_bytes / network.both_ways_Bps * (hosting ? 1 + (with + against) / remote_hosts : 1);
  return std::max({transfer_s, at_host_s, own_s, both_at_host_s, both_own_s});
}

} // namespace ddlsim
