#include "sim/parameter_server/server_classes.hpp"

#include "sim/parameter_server/traffic.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace ddlsim {
namespace {

/// Gives equal descriptions equal numbers, from 0 in order of first appearance.
template <typename Description> class Kinds {
public:
  std::size_t kind_of(const Description& description) {
    if (!kinds_.empty() && description == last_->first) return last_->second; // neighbours are mostly alike
    last_ = kinds_.emplace(description, kinds_.size()).first;
    return last_->second;
  }
  const std::map<Description, std::size_t>& all() const { return kinds_; }

private:
  std::map<Description, std::size_t> kinds_;
  typename std::map<Description, std::size_t>::iterator last_{};
};

constexpr std::size_t no_shards = 0;

/// Worker or not, slow or not, kinds of its servers in ascending order.
using NodeDescription = std::tuple<bool, bool, std::vector<std::size_t>>;

/// Kind of node and how many of them, in ascending order.
using LeafDescription = std::vector<std::pair<std::size_t, std::size_t>>;

struct Servers {
  std::vector<std::size_t> kinds;               ///< of each server; no_shards where it has none
  std::vector<std::vector<std::size_t>> shards; ///< of each server
};

/// Orders servers by their shards: how many, then size, ready time, ready time on the slow node of each in turn.
struct ShardsBefore {
  const ServerExchange& exchange;
  const std::vector<std::vector<std::size_t>>& shards;

  bool operator()(std::size_t a, std::size_t b) const {
    const auto& slow_s = exchange.slow_ready_s.empty() ? exchange.ready_s : exchange.slow_ready_s;
    if (shards[a].size() != shards[b].size()) return shards[a].size() < shards[b].size();
    for (std::size_t position = 0; position < shards[a].size(); ++position) {
      const std::size_t i = shards[a][position];
      const std::size_t j = shards[b][position];
      if (exchange.shards[i].size_bytes != exchange.shards[j].size_bytes)
        return exchange.shards[i].size_bytes < exchange.shards[j].size_bytes;
      if (exchange.ready_s[i] != exchange.ready_s[j]) return exchange.ready_s[i] < exchange.ready_s[j];
      if (slow_s[i] != slow_s[j]) return slow_s[i] < slow_s[j];
    }
    return false;
  }
};

Servers describe_servers(int count, const ServerExchange& exchange) {
  Servers servers{std::vector<std::size_t>(at(count), no_shards), std::vector<std::vector<std::size_t>>(at(count))};
  for (std::size_t i = 0; i < exchange.shards.size(); ++i) {
    servers.shards[at(exchange.shards[i].server)].push_back(i);
  }
  std::map<std::size_t, std::size_t, ShardsBefore> kinds(ShardsBefore{exchange, servers.shards}); // of the first alike
  for (std::size_t server = 0; server < servers.kinds.size(); ++server) {
    if (servers.shards[server].empty()) continue;
    servers.kinds[server] = kinds.emplace(server, 1 + kinds.size()).first->second;
  }
  return servers;
}

bool has_slow_node(const Machine& machine, const ServerExchange& exchange) {
  return machine.slow_nic_factor != 1 || (!exchange.slow_ready_s.empty() && exchange.slow_ready_s != exchange.ready_s);
}

/// What is found about each node.
struct Nodes {
  std::vector<std::vector<std::size_t>> servers; ///< with shards, on each node
  std::vector<std::size_t> kinds;                ///< of each node
  Kinds<NodeDescription> descriptions;
};

Nodes describe_nodes(const Machine& machine, const ServerMachine& machines, const ServerExchange& exchange,
                     const Servers& servers) {
  Nodes nodes;
  nodes.servers.resize(at(machine.nodes() + (machines.dedicated ? machines.servers : 0)));
  for (int server = 0; server < machines.servers; ++server) {
    if (servers.kinds[at(server)] == no_shards) continue;
    nodes.servers[at(server_node(machine, machines, server))].push_back(at(server));
  }
  const bool slow = has_slow_node(machine, exchange);
  NodeDescription description;
  for (std::size_t node = 0; node < nodes.servers.size(); ++node) {
    auto& [worker, is_slow, kinds] = description;
    worker = node < at(machine.nodes());
    is_slow = slow && node == 0;
    kinds.clear();
    for (const std::size_t server : nodes.servers[node]) {
      kinds.push_back(servers.kinds[server]);
    }
    std::sort(kinds.begin(), kinds.end());
    nodes.kinds.push_back(nodes.descriptions.kind_of(description));
  }
  return nodes;
}

LeafDescription describe_leaf(std::vector<std::size_t> kinds) {
  std::sort(kinds.begin(), kinds.end());
  LeafDescription description;
  for (const std::size_t kind : kinds) {
    if (description.empty() || description.back().first != kind) description.emplace_back(kind, 0);
    ++description.back().second;
  }
  return description;
}

/// Kind of each leaf switch.
std::vector<std::size_t> find_leaves(const Machine& machine, const Nodes& nodes, Kinds<LeafDescription>& descriptions) {
  std::vector<std::size_t> kinds;
  const std::size_t per_leaf = machine.nodes_per_leaf > 0 ? at(machine.nodes_per_leaf) : nodes.kinds.size();
  for (std::size_t first = 0; first < nodes.kinds.size(); first += per_leaf) {
    const auto begin = nodes.kinds.begin() + static_cast<std::ptrdiff_t>(first);
    const auto length = static_cast<std::ptrdiff_t>(std::min(per_leaf, nodes.kinds.size() - first));
    kinds.push_back(descriptions.kind_of(describe_leaf({begin, begin + length})));
  }
  return kinds;
}

/// Classes of nodes and servers, collected one by one; a class is a kind of node in a kind of leaf.
struct Builder {
  ServerClasses classes;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> node_class_of;   ///< kind of leaf, kind of node
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> server_class_of; ///< node class, kind of server
};

void add_node_classes(Builder& builder, const Nodes& nodes, const std::vector<std::size_t>& leaf_kinds,
                      const Kinds<LeafDescription>& leaves) {
  builder.classes.leaves.resize(leaves.all().size());
  for (const std::size_t kind : leaf_kinds) {
    builder.classes.leaves[kind].leaves += 1;
  }
  std::vector<const NodeDescription*> description_of(nodes.descriptions.all().size());
  for (const auto& [description, kind] : nodes.descriptions.all()) {
    description_of[kind] = &description;
  }
  for (const auto& [description, leaf_kind] : leaves.all()) {
    for (const auto& [node_kind, count] : description) {
      builder.node_class_of[{leaf_kind, node_kind}] = builder.classes.nodes.size();
      builder.classes.nodes.push_back({leaf_kind, static_cast<double>(count), std::get<0>(*description_of[node_kind]),
                                       std::get<1>(*description_of[node_kind])});
    }
  }
}

void add_server_classes(Builder& builder, const Machine& machine, const Nodes& nodes, const Servers& servers,
                        const std::vector<std::size_t>& leaf_kinds) {
  ServerClasses& classes = builder.classes;
  for (std::size_t node = 0; node < nodes.servers.size(); ++node) {
    if (nodes.servers[node].empty()) continue;
    const std::size_t leaf = at(leaf_of_node(machine, static_cast<int>(node)));
    const std::size_t node_class = builder.node_class_of.at({leaf_kinds[leaf], nodes.kinds[node]});
    for (const std::size_t server : nodes.servers[node]) {
      const std::size_t kind = servers.kinds[server];
      const auto [entry, is_new] = builder.server_class_of.emplace(std::pair{node_class, kind}, classes.servers.size());
      if (is_new) {
        const auto alike = [&](std::size_t other) { return servers.kinds[other] == kind; };
        const auto per_node = std::count_if(nodes.servers[node].begin(), nodes.servers[node].end(), alike);
        classes.servers.push_back({node_class, static_cast<double>(per_node), servers.shards[server]});
      }
      for (std::size_t position = 0; position < servers.shards[server].size(); ++position) {
        classes.shards[servers.shards[server][position]] = {entry->second, position};
      }
    }
  }
}

/// Calls `found` for each distance at which workers of one class stand to servers of another.
template <typename Found>
void visit_connections(const ServerClasses& classes, std::size_t worker, std::size_t server, const Found& found) {
  const NodeClass& from = classes.nodes[worker];
  const NodeClass& to = classes.nodes[classes.servers[server].node_class];
  const double per_node = classes.servers[server].per_node;
  const auto visit = [&](Distance distance, double server_nodes, double workers) {
    if (server_nodes > 0 && workers > 0)
      found(ConnectionClass{worker, server, distance, server_nodes * per_node, workers});
  };
  const double same = worker == classes.servers[server].node_class ? 1.0 : 0.0;
  visit(Distance::same_node, same, same);
  const double same_leaf = from.leaf_class == to.leaf_class ? 1.0 : 0.0;
  visit(Distance::same_leaf, same_leaf * to.per_leaf - same, same_leaf * from.per_leaf - same);
  visit(Distance::other_leaf, (classes.leaves[to.leaf_class].leaves - same_leaf) * to.per_leaf,
        (classes.leaves[from.leaf_class].leaves - same_leaf) * from.per_leaf);
}

template <typename Found> void visit_all_connections(const ServerClasses& classes, const Found& found) {
  for (std::size_t worker = 0; worker < classes.nodes.size(); ++worker) {
    if (!classes.nodes[worker].worker) continue;
    for (std::size_t server = 0; server < classes.servers.size(); ++server) {
      visit_connections(classes, worker, server, found);
    }
  }
}

} // namespace

ServerClasses find_server_classes(const Machine& machine, const ServerMachine& servers,
                                  const ServerExchange& exchange) {
  const Servers server_kinds = describe_servers(servers.servers, exchange);
  const Nodes nodes = describe_nodes(machine, servers, exchange, server_kinds);
  Kinds<LeafDescription> leaves;
  const std::vector<std::size_t> leaf_kinds = find_leaves(machine, nodes, leaves);
  Builder builder;
  builder.classes.shards.resize(exchange.shards.size());
  add_node_classes(builder, nodes, leaf_kinds, leaves);
  add_server_classes(builder, machine, nodes, server_kinds, leaf_kinds);
  return std::move(builder.classes);
}

std::vector<ConnectionClass> find_connection_classes(const ServerClasses& classes) {
  std::vector<ConnectionClass> connections;
  visit_all_connections(classes, [&](const ConnectionClass& connection) { connections.push_back(connection); });
  return connections;
}

std::size_t count_connection_classes(const ServerClasses& classes) {
  std::size_t count = 0;
  visit_all_connections(classes, [&](const ConnectionClass&) { ++count; });
  return count;
}

} // namespace ddlsim
