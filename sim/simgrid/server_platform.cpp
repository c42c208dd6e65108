#include "sim/simgrid/server_platform.hpp"

#include "sim/simgrid/fabric_zone.hpp"
#include "sim/simgrid/links.hpp"
#include "sim/simgrid/simgrid_settings.hpp"

#include <simgrid/s4u.hpp>

#include <cstddef>
#include <string>

namespace ddlsim {
namespace {

namespace s4u = simgrid::s4u;
using Route = std::vector<s4u::LinkInRoute>;

/// All links of the platform; kinds that are not limited are empty.
struct FabricLinks {
  Links nic_out, nic_in, leaf_up, leaf_down, loop_push, loop_pull, process_in, process_out;
  s4u::Link* connection = nullptr; ///< caps every message by itself
};

FabricLinks make_fabric(s4u::NetZone& zone, const Machine& machine, const ServerMachine& servers) {
  const int nodes = machine.nodes() + (servers.dedicated ? servers.servers : 0);
  const int leaves = leaf_of_node(machine, nodes - 1) + 1;
  FabricLinks fabric;
  if (nodes > 1) {
    fabric.nic_out = make_nics(zone, "nic-out", nodes, machine);
    fabric.nic_in = make_nics(zone, "nic-in", nodes, machine);
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
  if (servers.connection_Bps > 0) {
    fabric.connection = zone.create_link("connection", servers.connection_Bps * units_per_byte);
    fabric.connection->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE)->set_latency(0.0)->seal();
  }
  return fabric;
}

void add(Route& route, const Links& links, int index) {
  if (!links.empty()) route.emplace_back(links[at(index)]);
}

/// Between two different nodes.
void add_network(Route& route, const FabricLinks& fabric, FabricZone& switches, const Machine& machine, int from_node,
                 int to_node) {
  const int from_leaf = leaf_of_node(machine, from_node);
  const int to_leaf = leaf_of_node(machine, to_node);
  add(route, fabric.nic_out, from_node);
  if (from_leaf != to_leaf) {
    add(route, fabric.leaf_up, from_leaf);
    add(route, fabric.leaf_down, to_leaf);
  }
  for (auto* link : switches.way(from_node, to_node)) route.emplace_back(link);
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
  if (fabric.connection != nullptr) {
    push.emplace_back(fabric.connection);
    pull.emplace_back(fabric.connection);
  }
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
    for (auto* link : switches.way(ring.first_node + rank, ring.first_node + next)) route.emplace_back(link);
    zone.add_route(ranks[at(rank)].host->get_netpoint(), ranks[at(next)].host->get_netpoint(), nullptr, nullptr, route,
                   false);
  }
  return ranks;
}

} // namespace

ServerPlatform make_server_platform(const Machine& machine, const ServerMachine& servers,
                                    const std::vector<RingBeside>& beside) {
  constexpr double idle_flops = 1; // no host computes here
  s4u::NetZone& all = *s4u::create_star_zone("all");
  s4u::NetZone& zone = *s4u::create_full_zone("exchange")->set_parent(&all);
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
