#include "sim/network/nic_rate.hpp"
#include "sim/parameter_server/server_classes.hpp"

#include <cstddef>

namespace ddlsim {
namespace {

/// The two directions of one representative link.
struct Pair {
  std::size_t out = 0; ///< link from the node, up from the leaf, or from the server; in a loopback, of the pushes
  std::size_t in = 0;  ///< link of the opposite direction; in a loopback, of the pulls
};

Pair add_pair(std::vector<ClassLink>& links, const char* out, const char* in, double rate_Bps) {
  links.push_back({out, rate_Bps});
  links.push_back({in, rate_Bps});
  return {links.size() - 2, links.size() - 1};
}

/// The representative links of each class.
struct Pairs {
  std::vector<Pair> nics, loops, leaves, processes;
  std::vector<std::size_t> both_ways; ///< links of NICs; empty where their directions share no limit
};

Pairs add_links(std::vector<ClassLink>& links, const Machine& machine, const ServerMachine& servers,
                const ServerClasses& classes) {
  Pairs all;
  for (const NodeClass& node : classes.nodes) {
    const double of_usual = node.slow ? machine.slow_nic_factor : 1;
    all.nics.push_back(add_pair(links, "nic-out", "nic-in", nic_rate_Bps(machine.nic_Bps, {.slow_factor = of_usual})));
    if (machine.directions_share_limit()) {
      all.both_ways.push_back(links.size());
      links.push_back({"nic-both-ways", nic_rate_Bps(machine.both_ways_Bps(), {.slow_factor = of_usual})});
    }
    all.loops.push_back(add_pair(links, "loop-push", "loop-pull", machine.intra_Bps));
  }
  for (std::size_t leaf = 0; leaf < classes.leaves.size(); ++leaf) {
    all.leaves.push_back(add_pair(links, "leaf-up", "leaf-down", machine.uplink_Bps));
  }
  for (std::size_t server = 0; server < classes.servers.size(); ++server) {
    all.processes.push_back(add_pair(links, "process-out", "process-in", servers.process_Bps));
  }
  return all;
}

/// The classes whose links a connection crosses, and the number of flows of its class on one link of each.
struct Passage {
  std::size_t worker, worker_leaf, server_node, server_leaf, server;
  double at_worker, at_worker_leaf, at_server_node, at_server_leaf, at_server;
};

Passage passage_of(const ServerClasses& classes, const ConnectionClass& connection, double messages_per_node) {
  const NodeClass& worker = classes.nodes[connection.node_class];
  const ServerClass& server = classes.servers[connection.server_class];
  const NodeClass& server_node = classes.nodes[server.node_class];
  const double at_worker = messages_per_node * connection.servers;
  const double at_server = messages_per_node * connection.workers;
  const double at_server_node = at_server * server.per_node;
  return {connection.node_class,
          worker.leaf_class,
          server.node_class,
          server_node.leaf_class,
          connection.server_class,
          at_worker,
          at_worker * worker.per_leaf,
          at_server_node,
          at_server_node * server_node.per_leaf,
          at_server};
}

ConnectionRoutes routes_of(const Pairs& all, const Passage& at, Distance distance, bool has_process) {
  std::vector<MaxMin::Crossing> push;
  std::vector<MaxMin::Crossing> pull;
  if (distance == Distance::same_node) {
    push = {{all.loops[at.worker].out, at.at_worker}};
    pull = {{all.loops[at.worker].in, at.at_worker}};
  } else {
    push = {{all.nics[at.worker].out, at.at_worker}, {all.nics[at.server_node].in, at.at_server_node}};
    pull = {{all.nics[at.server_node].out, at.at_server_node}, {all.nics[at.worker].in, at.at_worker}};
    if (!all.both_ways.empty())
      for (auto* route : {&push, &pull}) {
        route->push_back({all.both_ways[at.worker], at.at_worker});
        route->push_back({all.both_ways[at.server_node], at.at_server_node});
      }
  }
  if (distance == Distance::other_leaf) {
    push.push_back({all.leaves[at.worker_leaf].out, at.at_worker_leaf});
    push.push_back({all.leaves[at.server_leaf].in, at.at_server_leaf});
    pull.push_back({all.leaves[at.server_leaf].out, at.at_server_leaf});
    pull.push_back({all.leaves[at.worker_leaf].in, at.at_worker_leaf});
  }
  if (has_process) {
    push.push_back({all.processes[at.server].in, at.at_server});
    pull.push_back({all.processes[at.server].out, at.at_server});
  }
  return {push, pull};
}

} // namespace

ClassLinks find_class_links(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
                            const ServerClasses& classes, const std::vector<ConnectionClass>& connections) {
  ClassLinks found;
  const Pairs all = add_links(found.links, machine, servers, classes);
  for (const ConnectionClass& connection : connections) {
    const Passage passage = passage_of(classes, connection, exchange.messages_per_node);
    found.routes.push_back(routes_of(all, passage, connection.distance, servers.process_Bps > 0));
  }
  return found;
}

} // namespace ddlsim
