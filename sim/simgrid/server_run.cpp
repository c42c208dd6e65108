#include "sim/simgrid/server_run.hpp"

#include "sim/network/nic_rate.hpp"
#include "sim/parameter_server/traffic.hpp"
#include "sim/simgrid/fabric_zone.hpp"
#include "sim/simgrid/simgrid_settings.hpp"

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace ddlsim {
namespace {

namespace s4u = simgrid::s4u;

s4u::Mailbox& mailbox_to_server(const ShardConnection& connection) {
  return *s4u::Mailbox::by_name("push" + connection.name);
}

s4u::Mailbox& mailbox_to_worker(const ShardConnection& connection) {
  return *s4u::Mailbox::by_name("pull" + connection.name);
}

/// Receives one message from the mailbox and returns when it has arrived.
void take(s4u::Mailbox& mailbox) {
  mailbox.get<int>();
}

/// Counts a copy; the last one wakes the connections that wait for the sum. The sender counts it at the moment its
/// message ends, because the receiving actor may be busy sending an earlier shard.
void count_copy(ShardOnServer& shard, double in_s) {
  shard.summed_s = std::max(shard.summed_s, in_s);
  --shard.copies_to_come;
  if (shard.copies_to_come > 0) return;
  for (int i = 0; i < shard.waiting; ++i) {
    shard.all_in->release();
  }
}

void run_worker_side(const ShardConnection& connection) {
  s4u::Mailbox& to_server = mailbox_to_server(connection);
  s4u::Mailbox& to_worker = mailbox_to_worker(connection);
  to_worker.set_receiver(s4u::Actor::self());
  for (ShardOnServer* shard : connection.shards) {
    s4u::this_actor::sleep_until(connection.from_slow_node ? shard->slow_ready_s : shard->ready_s);
    send(to_server, shard->units, connection.most_Bps);
    count_copy(*shard, s4u::Engine::get_clock() + connection.delay_s);
  }
  for (std::size_t i = 0; i < connection.shards.size(); ++i) {
    take(to_worker);
  }
  to_worker.set_receiver(nullptr);
}

void run_server_side(const ShardConnection& connection) {
  s4u::Mailbox& to_server = mailbox_to_server(connection);
  s4u::Mailbox& to_worker = mailbox_to_worker(connection);
  to_server.set_receiver(s4u::Actor::self());
  for (ShardOnServer* shard : connection.shards) {
    take(to_server);
    if (shard->copies_to_come > 0) {
      ++shard->waiting;
      shard->all_in->acquire();
    }
    s4u::this_actor::sleep_until(shard->summed_s);
    send(to_worker, shard->units, connection.most_Bps);
    --shard->copies_to_give;
    shard->pulled_s = std::max(shard->pulled_s, s4u::Engine::get_clock() + connection.delay_s);
  }
  to_server.set_receiver(nullptr);
}

namespace s4u = simgrid::s4u;
using Route = std::vector<s4u::LinkInRoute>;

/// All links of the platform. The list of a kind without a limit is empty.
struct FabricLinks {
  Links nic_out, nic_in, nic_both, leaf_up, leaf_down, loop_push, loop_pull, process_in, process_out;
};

/// Returns the machine with its NIC rate replaced by the rate of both directions together.
Machine with_rate_of_both_ways(Machine machine) {
  machine.nic_Bps = machine.both_ways_Bps();
  return machine;
}

/// Makes the NICs of the workers' nodes, followed by those of dedicated servers.
Links make_host_nics(s4u::NetZone& zone, const std::string& kind, const Machine& machine,
                     const ServerMachine& servers) {
  Links nics = make_nics(zone, kind, machine.nodes(), machine);
  if (!servers.dedicated) return nics;
  const Links of_servers = make_links(zone, kind + "-of-server", servers.servers,
                                      nic_rate_Bps(machine.nic_Bps, {.joined = servers.nic_share}));
  nics.insert(nics.end(), of_servers.begin(), of_servers.end());
  return nics;
}

FabricLinks make_fabric(s4u::NetZone& zone, const Machine& machine, const ServerMachine& servers) {
  const int nodes = machine.nodes() + (servers.dedicated ? servers.servers : 0);
  const int leaves = leaf_of_node(machine, nodes - 1) + 1;
  FabricLinks fabric;
  if (nodes > 1) {
    fabric.nic_out = make_host_nics(zone, "nic-out", machine, servers);
    fabric.nic_in = make_host_nics(zone, "nic-in", machine, servers);
    if (machine.directions_share_limit())
      fabric.nic_both = make_host_nics(zone, "nic-both-ways", with_rate_of_both_ways(machine), servers);
  }
  if (leaves > 1) {
    fabric.leaf_up = make_links(zone, "leaf-up", leaves, machine.uplink_Bps);
    fabric.leaf_down = make_links(zone, "leaf-down", leaves, machine.uplink_Bps);
  }
  if (!servers.dedicated) {
    fabric.loop_push = make_links(zone, "loop-push", nodes, machine.intra_Bps);
    fabric.loop_pull = make_links(zone, "loop-pull", nodes, machine.intra_Bps);
  }
  if (servers.process_Bps > 0) {
    fabric.process_in = make_links(zone, "process-in", servers.servers, servers.process_Bps);
    fabric.process_out = make_links(zone, "process-out", servers.servers, servers.process_Bps);
  }
  return fabric;
}

void add(Route& route, const Links& links, int index) {
  if (!links.empty()) route.emplace_back(links[at(index)]);
}

/// Adds the links between two different nodes to the route.
void add_network(Route& route, const FabricLinks& fabric, FabricZone& switches, const Machine& machine, int from_node,
                 int to_node) {
  const int from_leaf = leaf_of_node(machine, from_node);
  const int to_leaf = leaf_of_node(machine, to_node);
  add(route, fabric.nic_out, from_node);
  add(route, fabric.nic_both, from_node);
  if (from_leaf != to_leaf) {
    add(route, fabric.leaf_up, from_leaf);
    add(route, fabric.leaf_down, to_leaf);
  }
  for (auto* link : switches.route(from_node, to_node)) route.emplace_back(link);
  add(route, fabric.nic_both, to_node);
  add(route, fabric.nic_in, to_node);
}

void connect(s4u::NetZone& zone, const FabricLinks& fabric, FabricZone& switches, const Machine& machine,
             const ServerMachine& servers, const ServerPlatform& platform, int worker, int server) {
  const int node = server_node(machine, servers, server);
  Route push;
  Route pull;
  if (node == worker) {
    add(push, fabric.loop_push, node);
    add(pull, fabric.loop_pull, node);
  } else {
    add_network(push, fabric, switches, machine, worker, node);
    add_network(pull, fabric, switches, machine, node, worker);
  }
  add(push, fabric.process_in, server);
  add(pull, fabric.process_out, server);
  auto* worker_point = platform.workers[at(worker)]->get_netpoint();
  auto* server_point = platform.servers[at(server)]->get_netpoint();
  zone.add_route(worker_point, server_point, nullptr, nullptr, push, false);
  zone.add_route(server_point, worker_point, nullptr, nullptr, pull, false);
}

std::vector<RingRank> add_ring_beside(s4u::NetZone& zone, FabricZone& switches, const Machine& machine,
                                      const RingBeside& ring, const std::string& name) {
  constexpr double idle_flops = 1; // no rank computes here
  std::vector<RingRank> ranks;
  for (int rank = 0; rank < ring.nodes; ++rank) {
    const std::string own = name + "-" + std::to_string(rank);
    ranks.push_back({zone.create_host(own, idle_flops), s4u::Mailbox::by_name(own), machine.net_latency_s});
  }
  for (int rank = 0; rank < ring.nodes; ++rank) {
    const int next = (rank + 1) % ring.nodes;
    Route route{s4u::LinkInRoute(make_link(zone, name + "-nic" + std::to_string(rank), machine.nic_Bps))};
    for (auto* link : switches.route(ring.first_node + rank, ring.first_node + next)) route.emplace_back(link);
    zone.add_route(ranks[at(rank)].host->get_netpoint(), ranks[at(next)].host->get_netpoint(), nullptr, nullptr, route,
                   false);
  }
  return ranks;
}

} // namespace

std::vector<ShardOnServer> make_shards(const Machine& machine, const ServerMachine& servers,
                                       const ServerExchange& exchange) {
  const std::vector<double> sizes_bytes = message_sizes(machine, servers, exchange);
  std::vector<ShardOnServer> shards(sizes_bytes.size());
  for (std::size_t i = 0; i < shards.size(); ++i) {
    shards[i].units = to_units(sizes_bytes[i]);
    shards[i].ready_s = exchange.ready_s[i];
    shards[i].slow_ready_s = exchange.slow_ready_s.empty() ? exchange.ready_s[i] : exchange.slow_ready_s[i];
    shards[i].all_in = s4u::Semaphore::create(0);
  }
  return shards;
}

void add_copies(const ShardConnection& connection) {
  for (ShardOnServer* shard : connection.shards) {
    ++shard->copies_to_come;
    ++shard->copies_to_give;
  }
}

std::vector<double> times_of(const std::vector<const ShardOnServer*>& shards) {
  std::vector<double> times_s;
  for (const ShardOnServer* shard : shards) times_s.push_back(shard->summed_s);
  for (const ShardOnServer* shard : shards) times_s.push_back(shard->pulled_s);
  return times_s;
}

double run_connections(const std::vector<ShardConnection>& connections) {
  double messages = 0;
  for (const ShardConnection& connection : connections) {
    messages += 2 * static_cast<double>(connection.shards.size());
    s4u::Actor::create("worker side", connection.worker, [&connection] { run_worker_side(connection); });
    s4u::Actor::create("server side", connection.server, [&connection] { run_server_side(connection); });
  }
  s4u::Engine::get_instance()->run();
  for (const ShardConnection& connection : connections)
    for (const ShardOnServer* shard : connection.shards)
      if (shard->copies_to_give != 0) throw std::logic_error("server exchange: messages were left over");
  return messages;
}

ServerPlatform make_server_platform(const Machine& machine, const ServerMachine& servers,
                                    const std::vector<RingBeside>& beside) {
  constexpr double idle_flops = 1; // no host computes here
  s4u::NetZone& all = make_star_zone("all");
  s4u::NetZone& zone = make_full_zone(all, "exchange");
  ServerPlatform platform;
  for (int node = 0; node < machine.nodes(); ++node) {
    platform.workers.push_back(zone.create_host("worker" + std::to_string(node), idle_flops));
  }
  for (int server = 0; server < servers.servers; ++server) {
    platform.servers.push_back(zone.create_host("server" + std::to_string(server), idle_flops));
  }
  const FabricLinks fabric = make_fabric(zone, machine, servers);
  FabricZone switches(all, machine);
  for (int worker = 0; worker < machine.nodes(); ++worker) {
    for (int server = 0; server < servers.servers; ++server) {
      connect(zone, fabric, switches, machine, servers, platform, worker, server);
    }
  }
  for (const RingBeside& ring : beside)
    platform.beside.push_back(
        add_ring_beside(zone, switches, machine, ring, "beside" + std::to_string(platform.beside.size())));
  zone.seal();
  all.seal();
  return platform;
}

} // namespace ddlsim
