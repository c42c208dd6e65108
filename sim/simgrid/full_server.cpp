#include "sim/parameter_server/traffic.hpp"
#include "sim/simgrid/full.hpp"
#include "sim/simgrid/server_run.hpp"
#include "sim/simgrid/simgrid_settings.hpp"

#include <cstddef>
#include <string>

namespace ddlsim {
namespace {

std::vector<ShardConnection> make_connections(const Machine& machine, const ServerMachine& servers,
                                              const ServerExchange& exchange, std::vector<ShardOnServer>& shards) {
  const ServerPlatform platform = make_server_platform(machine, servers);
  std::vector<std::vector<ShardOnServer*>> queues(at(servers.servers));
  for (std::size_t i = 0; i < shards.size(); ++i) {
    queues[at(exchange.shards[i].server)].push_back(&shards[i]);
  }
  std::vector<ShardConnection> connections;
  for (int process = 0; process < machine.nodes() * exchange.messages_per_node; ++process) {
    const int node = process / exchange.messages_per_node;
    for (int server = 0; server < servers.servers; ++server) {
      if (queues[at(server)].empty()) continue;
      const bool local = server_node(machine, servers, server) == node;
      connections.push_back({platform.workers[at(node)], platform.servers[at(server)],
                             std::to_string(process) + "-" + std::to_string(server),
                             local ? machine.intra_latency_s : machine.net_latency_s, node == 0, servers.connection_Bps,
                             queues[at(server)]});
    }
  }
  return connections;
}

} // namespace

SimulatedTimes simulate_server_exchange(const Machine& machine, const ServerMachine& servers,
                                        const ServerExchange& exchange) {
  start_simgrid();
  std::vector<ShardOnServer> shards = make_shards(machine, servers, exchange);
  const std::vector<ShardConnection> connections = make_connections(machine, servers, exchange, shards);
  for (const ShardConnection& connection : connections) add_copies(connection);
  SimulatedTimes simulated;
  simulated.messages = run_connections(connections);
  std::vector<const ShardOnServer*> in_order;
  for (const ShardOnServer& shard : shards) in_order.push_back(&shard);
  simulated.times_s = times_of(in_order);
  return simulated;
}

} // namespace ddlsim
