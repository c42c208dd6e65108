#include "sim/parameter_server/traffic.hpp"

#include "sim/network/nic_rate.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace ddlsim {

int server_node(const Machine& machine, const ServerMachine& servers, int server) {
  return servers.dedicated ? machine.nodes() + server : server % machine.nodes();
}

int leaf_of_node(const Machine& machine, int node) {
  return machine.nodes_per_leaf > 0 ? node / machine.nodes_per_leaf : 0;
}

Copies copies_at_server(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange) {
  const int local = servers.dedicated ? 0 : exchange.messages_per_node;
  return {machine.nodes() * exchange.messages_per_node - local, local};
}

double server_rate_Bps(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange) {
  const Copies copies = copies_at_server(machine, servers, exchange);
  double seconds_per_byte = 0; // seconds for each byte of all copies together
  if (copies.remote > 0) seconds_per_byte = std::max(seconds_per_byte, copies.remote / machine.busy_nic_Bps());
  if (copies.local > 0) seconds_per_byte = std::max(seconds_per_byte, copies.local / machine.intra_Bps);
  if (servers.process_Bps > 0) seconds_per_byte = std::max(seconds_per_byte, copies.all() / servers.process_Bps);
  if (servers.connection_Bps > 0) seconds_per_byte = std::max(seconds_per_byte, 1 / servers.connection_Bps);
  return copies.all() / seconds_per_byte;
}

namespace {

/// Returns the rate of a server while all servers take in and give out copies and so share the workers' NICs.
double shared_server_rate_Bps(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange) {
  const double alone_Bps = server_rate_Bps(machine, servers, exchange);
  const Copies copies = copies_at_server(machine, servers, exchange);
  if (copies.remote == 0) return alone_Bps;
  return nic_rate_Bps(machine.busy_nic_Bps(), {.joined = 1.0 * machine.nodes() * copies.all() / copies.remote,
                                               .sharers = 1.0 * servers.servers,
                                               .ceiling_Bps = alone_Bps});
}

} // namespace

std::vector<double> message_sizes(const Machine& machine, const ServerMachine& servers,
                                  const ServerExchange& exchange) {
  const double cost_bytes = exchange.message_cost_s * shared_server_rate_Bps(machine, servers, exchange);
  std::vector<double> sizes_bytes;
  sizes_bytes.reserve(exchange.shards.size());
  for (const Shard& shard : exchange.shards) {
    sizes_bytes.push_back(shard.size_bytes + cost_bytes);
  }
  return sizes_bytes;
}

double copy_latency_s(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange) {
  const Copies copies = copies_at_server(machine, servers, exchange);
  const double remote_s = copies.remote > 0 ? machine.net_latency_s : 0.0;
  const double local_s = copies.local > 0 ? machine.intra_latency_s : 0.0;
  return std::max(remote_s, local_s);
}

void summarise(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
               ServerExchangeTiming& timing) {
  for (const double pulled_s : timing.pulled_s) {
    timing.end_s = std::max(timing.end_s, pulled_s);
  }
  const std::vector<double> sizes_bytes = message_sizes(machine, servers, exchange);
  std::vector<double> loads_bytes(static_cast<std::size_t>(servers.servers), 0.0);
  for (std::size_t k = 0; k < sizes_bytes.size(); ++k) {
    loads_bytes[static_cast<std::size_t>(exchange.shards[k].server)] += sizes_bytes[k];
  }
  const auto busiest = std::max_element(loads_bytes.begin(), loads_bytes.end());
  timing.busiest_server = static_cast<int>(busiest - loads_bytes.begin());
  timing.busiest_server_s =
      copies_at_server(machine, servers, exchange).all() * *busiest / server_rate_Bps(machine, servers, exchange);
}

void require_usable(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange) {
  if (exchange.ready_s.size() != exchange.shards.size()) {
    throw std::invalid_argument("server exchange: ready_s must have one time for each shard");
  }
  if (!exchange.slow_ready_s.empty() && exchange.slow_ready_s.size() != exchange.shards.size()) {
    throw std::invalid_argument("server exchange: slow_ready_s must be empty or have one time for each shard");
  }
  if (machine.ranks < 1 || servers.servers < 1 || exchange.messages_per_node < 1) {
    throw std::invalid_argument("server exchange: needs at least one rank, one server and one message a node");
  }
  const Copies copies = copies_at_server(machine, servers, exchange);
  const bool leaves_leaf = leaf_of_node(machine, machine.nodes() - 1) > 0 ||
                           leaf_of_node(machine, server_node(machine, servers, servers.servers - 1)) > 0;
  if ((copies.remote > 0 && !(machine.nic_Bps > 0 && machine.slow_nic_factor > 0 && machine.nic_duplex > 0)) ||
      (copies.local > 0 && !(machine.intra_Bps > 0)) || (leaves_leaf && !(machine.uplink_Bps > 0))) {
    throw std::invalid_argument("server exchange: the rate of a link in use is not above zero");
  }
}

} // namespace ddlsim
