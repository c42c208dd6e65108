#include "sim/parameter_server/server_classes.hpp"

#include "sim/parameter_server/traffic.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <utility>

namespace ddlsim {
namespace {

/// Gives equal descriptions equal numbers. The numbers begin at 0, in the order of first appearance.
template <typename Description> class Kinds {
public:
  std::size_t kind_of(const Description& description) {
    if (!kinds_.empty() && description == last_->first) return last_->second; // neighbours are usually equal
    last_ = kinds_.emplace(description, kinds_.size()).first;
    return last_->second;
  }
  const std::map<Description, std::size_t>& all() const { return kinds_; }

private:
  std::map<Description, std::size_t> kinds_;
  typename std::map<Description, std::size_t>::iterator last_{};
};

struct NodeDescription {
  bool worker = false;
  bool slow = false;
  std::vector<std::size_t> servers{}; ///< kinds of the node's servers, in ascending order

  auto operator<=>(const NodeDescription&) const = default;
};

/// The kinds of nodes in a leaf, each with its number of nodes, in ascending order.
using LeafDescription = std::vector<std::pair<std::size_t, std::size_t>>;

/// The servers that have shards, in ascending order. Of thousands of servers often only a hundred have some.
struct Servers {
  std::vector<int> numbers;
  std::vector<std::size_t> kinds;               ///< kind of each of these servers
  std::vector<std::vector<std::size_t>> shards; ///< shards of each of these servers
  bool by_times = false;                        ///< whether kinds depend on when shards are ready
};

/// Orders servers by their number of shards, then by the size, ready time and slow node's ready time of each shard in
/// turn.
struct ShardsBefore {
  const ServerExchange& exchange;
  const std::vector<std::vector<std::size_t>>& shards;
  bool* looks_at_times; ///< set where sizes do not distinguish two servers

  bool operator()(std::size_t a, std::size_t b) const {
    const auto& slow_s = exchange.slow_ready_s.empty() ? exchange.ready_s : exchange.slow_ready_s;
    if (shards[a].size() != shards[b].size()) return shards[a].size() < shards[b].size();
    for (std::size_t position = 0; position < shards[a].size(); ++position) {
      const std::size_t i = shards[a][position];
      const std::size_t j = shards[b][position];
      if (exchange.shards[i].size_bytes != exchange.shards[j].size_bytes)
        return exchange.shards[i].size_bytes < exchange.shards[j].size_bytes;
      *looks_at_times = true;
      if (exchange.ready_s[i] != exchange.ready_s[j]) return exchange.ready_s[i] < exchange.ready_s[j];
      if (slow_s[i] != slow_s[j]) return slow_s[i] < slow_s[j];
    }
    return false;
  }
};

Servers describe_servers(const ServerExchange& exchange) {
  Servers servers;
  for (const Shard& shard : exchange.shards) servers.numbers.push_back(shard.server);
  std::sort(servers.numbers.begin(), servers.numbers.end());
  servers.numbers.erase(std::unique(servers.numbers.begin(), servers.numbers.end()), servers.numbers.end());
  servers.shards.resize(servers.numbers.size());
  for (std::size_t i = 0; i < exchange.shards.size(); ++i) {
    const auto place = std::lower_bound(servers.numbers.begin(), servers.numbers.end(), exchange.shards[i].server);
    servers.shards[static_cast<std::size_t>(place - servers.numbers.begin())].push_back(i);
  }
  const ShardsBefore before{exchange, servers.shards, &servers.by_times};
  std::map<std::size_t, std::size_t, ShardsBefore> kinds(before); // the key is the first server of each kind
  for (std::size_t server = 0; server < servers.shards.size(); ++server)
    servers.kinds.push_back(kinds.emplace(server, kinds.size()).first->second);
  return servers;
}

bool has_slow_node(const Machine& machine, const ServerExchange& exchange) {
  return machine.slow_nic_factor != 1 || (!exchange.slow_ready_s.empty() && exchange.slow_ready_s != exchange.ready_s);
}

/// A node that hosts servers with shards; `servers` are indices into the list of servers that have shards.
struct HostNode {
  std::size_t node = 0;
  std::vector<std::size_t> servers;
};

std::vector<HostNode> find_hosts(const Machine& machine, const ServerMachine& machines, const Servers& servers) {
  std::vector<std::pair<std::size_t, std::size_t>> places; // pairs of node and server
  for (std::size_t i = 0; i < servers.numbers.size(); ++i)
    places.emplace_back(at(server_node(machine, machines, servers.numbers[i])), i);
  std::sort(places.begin(), places.end());
  std::vector<HostNode> hosts;
  for (const auto& [node, server] : places) {
    if (hosts.empty() || hosts.back().node != node) hosts.push_back({node, {}});
    hosts.back().servers.push_back(server);
  }
  return hosts;
}

/// The hosts of servers and the kinds of all nodes.
struct Nodes {
  std::vector<HostNode> hosts;    ///< hosts, in ascending order
  std::vector<std::size_t> kinds; ///< kind of each node
  Kinds<NodeDescription> descriptions;
};

Nodes describe_nodes(const Machine& machine, const ServerMachine& machines, const ServerExchange& exchange,
                     const Servers& servers) {
  Nodes nodes;
  nodes.hosts = find_hosts(machine, machines, servers);
  const std::size_t workers = at(machine.nodes());
  const std::size_t count = workers + (machines.dedicated ? at(machines.servers) : 0);
  nodes.kinds.reserve(count);
  const bool slow = has_slow_node(machine, exchange);
  NodeDescription description;
  auto host = nodes.hosts.begin();
  bool was_plain = false; // whether the preceding node hosts no server and is not slow
  for (std::size_t node = 0; node < count; ++node) {
    auto& [worker, is_slow, kinds] = description;
    const bool hosts = host != nodes.hosts.end() && host->node == node;
    if (was_plain && !hosts && node != workers) {
      nodes.kinds.push_back(nodes.kinds.back());
      continue;
    }
    worker = node < workers;
    is_slow = slow && node == 0;
    kinds.clear();
    if (hosts)
      for (const std::size_t server : (host++)->servers) kinds.push_back(servers.kinds[server]);
    std::sort(kinds.begin(), kinds.end());
    nodes.kinds.push_back(nodes.descriptions.kind_of(description));
    was_plain = !hosts && !is_slow;
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

/// Returns the kind of each leaf switch.
std::vector<std::size_t> find_leaves(const Machine& machine, const Nodes& nodes, Kinds<LeafDescription>& descriptions) {
  std::vector<std::size_t> kinds;
  const std::size_t per_leaf = machine.nodes_per_leaf > 0 ? at(machine.nodes_per_leaf) : nodes.kinds.size();
  for (std::size_t first = 0; first < nodes.kinds.size(); first += per_leaf) {
    const auto begin = nodes.kinds.begin() + static_cast<std::ptrdiff_t>(first);
    const auto length = static_cast<std::ptrdiff_t>(std::min(per_leaf, nodes.kinds.size() - first));
    const bool as_before = first > 0 &&
                           std::equal(begin, begin + length, begin - static_cast<std::ptrdiff_t>(per_leaf)) &&
                           length == static_cast<std::ptrdiff_t>(per_leaf);
    kinds.push_back(as_before ? kinds.back() : descriptions.kind_of(describe_leaf({begin, begin + length})));
  }
  return kinds;
}

/// Classes of nodes and servers, collected one by one; a class is a kind of node in a kind of leaf.
struct Builder {
  ServerClasses classes;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> node_class_of;   ///< key: kind of leaf, kind of node
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> server_class_of; ///< key: node class, kind of server
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
      builder.classes.nodes.push_back(
          {leaf_kind, static_cast<double>(count), description_of[node_kind]->worker, description_of[node_kind]->slow});
    }
  }
}

void add_server_classes(Builder& builder, const Machine& machine, const Nodes& nodes, const Servers& servers,
                        const std::vector<std::size_t>& leaf_kinds) {
  ServerClasses& classes = builder.classes;
  for (const auto& [node, hosted] : nodes.hosts) {
    const std::size_t leaf = at(leaf_of_node(machine, static_cast<int>(node)));
    const std::size_t node_class = builder.node_class_of.at({leaf_kinds[leaf], nodes.kinds[node]});
    for (const std::size_t server : hosted) {
      const std::size_t kind = servers.kinds[server];
      const auto [entry, is_new] = builder.server_class_of.emplace(std::pair{node_class, kind}, classes.servers.size());
      if (is_new) {
        const auto alike = [&](std::size_t other) { return servers.kinds[other] == kind; };
        const auto per_node = std::count_if(hosted.begin(), hosted.end(), alike);
        classes.servers.push_back({node_class, static_cast<double>(per_node), servers.shards[server]});
      }
      for (std::size_t position = 0; position < servers.shards[server].size(); ++position) {
        classes.shards[servers.shards[server][position]] = {entry->second, position};
      }
    }
  }
}

/// The properties of the machines that decide the classes.
struct Layout {
  int nodes = 0;
  int nodes_per_leaf = 0;
  bool has_slow_node = false;
  int servers = 0;
  bool dedicated = false;

  bool operator==(const Layout&) const = default;
};

/// All that decides the classes. Where samples differ only in times, the sizes of shards alone usually decide.
struct ClassRequest {
  Layout layout{};
  std::vector<Shard> shards{};
  bool by_times = false;
  std::vector<double> ready_s{}; ///< times, which are kept and compared only with `by_times`
  std::vector<double> slow_ready_s{};

  bool is(const Layout& other, const ServerExchange& exchange) const {
    const auto ready_alike = [&] { return ready_s == exchange.ready_s && slow_ready_s == exchange.slow_ready_s; };
    return layout == other && shards == exchange.shards && (!by_times || ready_alike());
  }
};

/// Calls `found` for each distance between workers of one class and servers of another.
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

namespace {

ServerClasses find_classes(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
                           const Servers& server_kinds) {
  const Nodes nodes = describe_nodes(machine, servers, exchange, server_kinds);
  Kinds<LeafDescription> leaves;
  const std::vector<std::size_t> leaf_kinds = find_leaves(machine, nodes, leaves);
  Builder builder;
  builder.classes.shards.resize(exchange.shards.size());
  add_node_classes(builder, nodes, leaf_kinds, leaves);
  add_server_classes(builder, machine, nodes, server_kinds, leaf_kinds);
  return std::move(builder.classes);
}

} // namespace

ServerClasses find_server_classes(const Machine& machine, const ServerMachine& servers,
                                  const ServerExchange& exchange) {
  return find_classes(machine, servers, exchange, describe_servers(exchange));
}

std::shared_ptr<const ServerClasses> server_classes_of(const Machine& machine, const ServerMachine& servers,
                                                       const ServerExchange& exchange) {
  thread_local ClassRequest last;
  thread_local std::shared_ptr<const ServerClasses> found;
  const Layout layout{machine.nodes(), machine.nodes_per_leaf, has_slow_node(machine, exchange), servers.servers,
                      servers.dedicated};
  if (found && last.is(layout, exchange)) return found;
  const Servers kinds = describe_servers(exchange);
  last = {layout, exchange.shards, kinds.by_times, {}, {}};
  if (kinds.by_times) {
    last.ready_s = exchange.ready_s;
    last.slow_ready_s = exchange.slow_ready_s;
  }
  found = std::make_shared<const ServerClasses>(find_classes(machine, servers, exchange, kinds));
  return found;
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
