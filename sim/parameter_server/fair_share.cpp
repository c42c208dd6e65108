#include "sim/parameter_server/fair_share.hpp"

#include <algorithm>
#include <limits>

namespace ddlsim {
namespace {

constexpr std::size_t no_group = std::numeric_limits<std::size_t>::max();

/// Hosts behind one link: a node behind its NIC, or a leaf behind its uplinks. One group stands for all equal ones.
struct HostGroup {
  double workers = 0; ///< number of worker nodes in the group
  std::size_t out = 0;
  std::size_t in = 0;
};

/// Where the servers of a class are: their group of hosts, and how many of them are in each such group.
struct ServerGroup {
  std::size_t group = 0;
  double servers = 0;
};

/// All links of one level: those of the nodes or those of the leaves.
struct LinkLevel {
  std::vector<HostGroup> groups{};
  std::vector<ServerGroup> server_groups{}; ///< home of each server class
};

/// Returns a group for each class of nodes that hosts servers, and one more for all other worker nodes, which are
/// equal.
LinkLevel node_level(const ServerClasses& classes) {
  LinkLevel level;
  std::vector<std::size_t> group_of_node(classes.nodes.size(), no_group);
  for (const ServerClass& server : classes.servers) {
    std::size_t& group = group_of_node[server.node_class];
    if (group == no_group) {
      group = level.groups.size();
      level.groups.push_back({classes.nodes[server.node_class].worker ? 1.0 : 0.0});
    }
    level.server_groups.push_back({group, server.per_node});
  }
  for (std::size_t node = 0; node < classes.nodes.size(); ++node) {
    if (group_of_node[node] != no_group || !classes.nodes[node].worker) continue;
    level.groups.push_back({1.0});
    break;
  }
  return level;
}

LinkLevel leaf_level(const ServerClasses& classes) {
  LinkLevel level;
  level.groups.resize(classes.leaves.size());
  for (const NodeClass& node : classes.nodes) {
    if (node.worker) level.groups[node.leaf_class].workers += node.per_leaf;
  }
  for (const ServerClass& server : classes.servers) {
    const NodeClass& node = classes.nodes[server.node_class];
    level.server_groups.push_back({node.leaf_class, node.per_leaf * server.per_node});
  }
  return level;
}

void add_links_of(MaxMin& links, LinkLevel& level, double rate_Bps) {
  for (HostGroup& group : level.groups) {
    group.out = links.add_link(rate_Bps);
    group.in = links.add_link(rate_Bps);
  }
}

/// The NICs of worker nodes; every lane crosses all of them in one direction.
struct WorkerNics {
  std::size_t out = 0;
  std::size_t in = 0;
};

WorkerNics add_nics(MaxMin& links, LinkLevel& nodes, double rate_Bps) {
  const WorkerNics sets{links.add_link_set(), links.add_link_set()};
  for (HostGroup& group : nodes.groups) {
    const bool worker = group.workers > 0;
    group.out = worker ? links.add_link(rate_Bps, sets.out) : links.add_link(rate_Bps);
    group.in = worker ? links.add_link(rate_Bps, sets.in) : links.add_link(rate_Bps);
  }
  return sets;
}

/// One direction of the servers of a class, each of which exchanges copies with all workers.
struct ClassLane {
  std::size_t server_class = 0;
  bool push = true;
  double servers = 1; ///< number of servers in the class
};

/// Adds the number of the lane's copies on each link of one level, on the workers' side first.
void add_crossings(std::vector<MaxMin::Crossing>& crossings, const LinkLevel& level, const ClassLane& lane,
                   double workers, double messages_per_node) {
  const ServerGroup& server_group = level.server_groups[lane.server_class];
  for (std::size_t i = 0; i < level.groups.size(); ++i) {
    const HostGroup& group = level.groups[i];
    const double inside = i == server_group.group ? server_group.servers : 0;
    const double of_workers = messages_per_node * group.workers * (lane.servers - inside);
    const double of_servers = messages_per_node * (workers - group.workers) * inside;
    if (of_workers > 0) crossings.push_back({lane.push ? group.out : group.in, of_workers});
    if (of_servers > 0) crossings.push_back({lane.push ? group.in : group.out, of_servers});
  }
}

/// Adds the lane's copies on NICs where they differ from those on every worker's NIC. Copies to a server on the same
/// node do not cross that node's NIC, and a server's NIC also carries the copies of all other workers.
void add_nic_crossings(std::vector<MaxMin::Crossing>& crossings, const LinkLevel& nodes, const ClassLane& lane,
                       double workers, double messages_per_node) {
  const ServerGroup& server_group = nodes.server_groups[lane.server_class];
  const HostGroup& group = nodes.groups[server_group.group];
  const double own = messages_per_node * group.workers * server_group.servers;
  const double of_servers = messages_per_node * (workers - group.workers) * server_group.servers;
  if (own > 0) crossings.push_back({lane.push ? group.out : group.in, -own});
  if (of_servers > 0) crossings.push_back({lane.push ? group.in : group.out, of_servers});
}

double ceiling_Bps(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange) {
  const int copies = copies_at_server(machine, servers, exchange).all();
  const double process_Bps = servers.process_Bps / copies;
  if (process_Bps > 0 && servers.connection_Bps > 0) return std::min(process_Bps, servers.connection_Bps);
  return std::max(process_Bps, servers.connection_Bps); // 0 means that there is no ceiling
}

} // namespace

FairShare::FairShare(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
                     const ServerClasses& classes, Solver solver)
    : links_(ceiling_Bps(machine, servers, exchange)), busy_(2 * classes.servers.size(), 0), was_busy_(busy_) {
  if (solver == Solver::by_roles)
    nodes_ = NodeShare::of(machine, servers, exchange, classes, ceiling_Bps(machine, servers, exchange));
  if (!nodes_) add_links(machine, servers, exchange, classes);
}

void FairShare::add_links(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
                          const ServerClasses& classes) {
  LinkLevel nodes = node_level(classes);
  const WorkerNics worker_nics = add_nics(links_, nodes, machine.nic_Bps);
  double leaf_count = 0;
  for (const LeafClass& leaf : classes.leaves) leaf_count += leaf.leaves;
  LinkLevel leaves;
  if (leaf_count > 1) leaves = leaf_level(classes);
  add_links_of(links_, leaves, machine.uplink_Bps);
  const bool local = !servers.dedicated && machine.intra_Bps > 0;
  LinkLevel loops = local ? nodes : LinkLevel{};
  add_links_of(links_, loops, machine.intra_Bps);
  LinkLevel both_ways = machine.directions_share_limit() ? nodes : LinkLevel{};
  for (HostGroup& group : both_ways.groups) group.in = group.out = links_.add_link(machine.both_ways_Bps());
  std::vector<MaxMin::Crossing> crossings;
  for (std::size_t index = 0; index < classes.servers.size(); ++index) {
    const ServerClass& server = classes.servers[index];
    const NodeClass& node = classes.nodes[server.node_class];
    const double count = classes.leaves[node.leaf_class].leaves * node.per_leaf * server.per_node;
    for (const bool push : {true, false}) {
      const ClassLane lane{index, push, count};
      crossings.clear();
      add_nic_crossings(crossings, nodes, lane, machine.nodes(), exchange.messages_per_node);
      if (machine.directions_share_limit())
        add_crossings(crossings, both_ways, lane, machine.nodes(), exchange.messages_per_node);
      if (leaf_count > 1) add_crossings(crossings, leaves, lane, machine.nodes(), exchange.messages_per_node);
      if (local) {
        const ServerGroup& server_group = loops.server_groups[index];
        const HostGroup& group = loops.groups[server_group.group];
        crossings.push_back({push ? group.in : group.out, exchange.messages_per_node * server_group.servers});
      }
      links_.add_flow(crossings, push ? worker_nics.out : worker_nics.in, exchange.messages_per_node * count);
    }
  }
}

void FairShare::set_busy(std::size_t server_class, bool push, bool busy) {
  const std::size_t lane = lane_of(server_class, push);
  if ((busy_[lane] != 0) == busy) return;
  busy_[lane] = busy ? 1 : 0;
  set_since_.push_back(lane);
  if (busy_[lane] == was_busy_[lane]) {
    --changed_;
  } else {
    ++changed_;
  }
  if (nodes_) {
    nodes_->set_busy(server_class, push, busy);
  } else {
    links_.set_active(lane, busy);
  }
}

bool FairShare::settle() {
  const bool is_other = changed_ > 0;
  changed_ = 0;
  for (const std::size_t lane : set_since_) was_busy_[lane] = busy_[lane];
  set_since_.clear();
  if (!is_other) return false;
  if (nodes_) {
    nodes_->settle();
  } else {
    links_.settle();
  }
  return true;
}

} // namespace ddlsim
