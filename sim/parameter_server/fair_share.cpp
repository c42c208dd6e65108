#include "sim/parameter_server/fair_share.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ddlsim {
namespace {

constexpr double unlimited_Bps = std::numeric_limits<double>::infinity();

/// Relative difference of shares below which they are compared as quotients.
constexpr double rounding_apart = 1e-12;

constexpr std::size_t no_group = std::numeric_limits<std::size_t>::max();

} // namespace

/// Kinds of nodes that host servers, each by itself; one more group stands for every other worker node, all alike.
FairShare::LinkLevel FairShare::node_level(const Machine& machine, const ServerClasses& classes) {
  LinkLevel level{machine.nic_Bps};
  std::vector<std::size_t> group_of_node(classes.nodes.size(), no_group);
  for (const ServerClass& server : classes.servers) {
    std::size_t& group = group_of_node[server.node_class];
    if (group == no_group) {
      group = level.groups.size();
      level.groups.push_back({classes.nodes[server.node_class].worker ? 1.0 : 0.0, {}, {}});
    }
    level.homes.push_back({group, server.per_node});
  }
  for (std::size_t node = 0; node < classes.nodes.size(); ++node) {
    if (group_of_node[node] != no_group || !classes.nodes[node].worker) continue;
    level.groups.push_back({1.0, {}, {}});
    break;
  }
  return level;
}

FairShare::LinkLevel FairShare::leaf_level(const Machine& machine, const ServerClasses& classes) {
  LinkLevel level{machine.uplink_Bps};
  level.groups.resize(classes.leaves.size());
  for (const NodeClass& node : classes.nodes) {
    if (node.worker) level.groups[node.leaf_class].workers += node.per_leaf;
  }
  for (const ServerClass& server : classes.servers) {
    const NodeClass& node = classes.nodes[server.node_class];
    level.homes.push_back({node.leaf_class, node.per_leaf * server.per_node});
  }
  return level;
}

FairShare::FairShare(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
                     const ServerClasses& classes)
    : workers_(machine.nodes()), messages_per_node_(exchange.messages_per_node), ceiling_Bps_(unlimited_Bps),
      intra_Bps_(servers.dedicated ? 0.0 : machine.intra_Bps) {
  const int copies = copies_at_server(machine, servers, exchange).all();
  if (servers.process_Bps > 0) ceiling_Bps_ = servers.process_Bps / copies;
  if (servers.connection_Bps > 0) ceiling_Bps_ = std::min(ceiling_Bps_, servers.connection_Bps);
  levels_.push_back(node_level(machine, classes));
  double leaves = 0;
  for (const LeafClass& leaf : classes.leaves) leaves += leaf.leaves;
  if (leaves > 1) levels_.push_back(leaf_level(machine, classes));
  for (std::size_t index = 0; index < classes.servers.size(); ++index) {
    const ServerClass& server = classes.servers[index];
    const NodeClass& node = classes.nodes[server.node_class];
    const double count = classes.leaves[node.leaf_class].leaves * node.per_leaf * server.per_node;
    lanes_.push_back({index, true, count});
    lanes_.push_back({index, false, count});
  }
}

void FairShare::set_busy(std::size_t server_class, bool push, bool busy) {
  Lane& lane = lanes_[lane_of(server_class, push)];
  if (lane.busy == busy) return;
  lane.busy = busy;
  changed_ += busy == lane.was_busy ? std::size_t(-1) : 1;
}

/// Messages on a group's link, or bytes a second, according to what the sums add up.
double FairShare::messages(const HostGroup& group, Way way, const Sum& all, const Sum& own) const {
  const double outside = workers_ - group.workers;
  switch (way) {
  case Way::out:
    return messages_per_node_ * (group.workers * (all.push - own.push) + outside * own.pull);
  case Way::in:
    return messages_per_node_ * (group.workers * (all.pull - own.pull) + outside * own.push);
  case Way::loop_push:
    return messages_per_node_ * own.push;
  case Way::loop_pull:
    return messages_per_node_ * own.pull;
  }
  return 0;
}

void FairShare::consider(const LinkLevel& level, std::size_t group, Way way, double link_Bps,
                         Narrowest& narrowest) const {
  const HostGroup& hosts = level.groups[group];
  const double open = messages(hosts, way, level.open, hosts.open);
  if (open <= 0) return;
  const double left_Bps = link_Bps - messages(hosts, way, level.settled_Bps, hosts.settled_Bps);
  const double known_Bps = narrowest.share_Bps * open;
  if (left_Bps > known_Bps + rounding_apart * std::abs(known_Bps)) return; // saves most divisions
  const double share_Bps = left_Bps / open;
  if (share_Bps < narrowest.share_Bps) narrowest = {share_Bps, &level, group, way};
}

FairShare::Narrowest FairShare::find_narrowest() const {
  Narrowest narrowest{ceiling_Bps_};
  for (const LinkLevel& level : levels_) {
    for (std::size_t group = 0; group < level.groups.size(); ++group) {
      consider(level, group, Way::out, level.rate_Bps, narrowest);
      consider(level, group, Way::in, level.rate_Bps, narrowest);
    }
  }
  if (intra_Bps_ <= 0) return narrowest;
  for (std::size_t node = 0; node < levels_.front().groups.size(); ++node) {
    consider(levels_.front(), node, Way::loop_push, intra_Bps_, narrowest);
    consider(levels_.front(), node, Way::loop_pull, intra_Bps_, narrowest);
  }
  return narrowest;
}

bool FairShare::crosses(const Lane& lane, const Narrowest& link) const {
  if (link.level == nullptr) return true;
  const Home& home = link.level->homes[lane.server_class];
  const bool inside = home.group == link.group;
  const bool elsewhere = lane.servers > (inside ? home.servers : 0); // some of the class
  const double workers = link.level->groups[link.group].workers;
  switch (link.way) {
  case Way::out:
    return lane.push ? elsewhere && workers > 0 : inside && workers < workers_;
  case Way::in:
    return lane.push ? inside && workers < workers_ : elsewhere && workers > 0;
  case Way::loop_push:
    return inside && lane.push;
  case Way::loop_pull:
    return inside && !lane.push;
  }
  return false;
}

void FairShare::reopen() {
  for (LinkLevel& level : levels_) {
    level.open = level.settled_Bps = {};
    for (HostGroup& group : level.groups) {
      group.open = group.settled_Bps = {};
    }
    for (const Lane& lane : lanes_) {
      if (!lane.busy) continue;
      const Home& home = level.homes[lane.server_class];
      level.open.of(lane.push) += lane.servers;
      level.groups[home.group].open.of(lane.push) += home.servers;
    }
  }
  for (Lane& lane : lanes_) {
    lane.settled = !lane.busy;
    lane.was_busy = lane.busy;
  }
}

void FairShare::settle_lane(Lane& lane, double rate_Bps) {
  lane.rate_Bps = rate_Bps;
  lane.settled = true;
  for (LinkLevel& level : levels_) {
    const Home& home = level.homes[lane.server_class];
    HostGroup& group = level.groups[home.group];
    level.open.of(lane.push) -= lane.servers;
    group.open.of(lane.push) -= home.servers;
    level.settled_Bps.of(lane.push) += lane.servers * rate_Bps;
    group.settled_Bps.of(lane.push) += home.servers * rate_Bps;
  }
}

/// Progressive filling: all rates rise together until a link is full; what crosses it is settled; the rest rises on.
bool FairShare::settle() {
  if (changed_ == 0) return false;
  changed_ = 0;
  reopen();
  const auto is_open = [](const Lane& lane) { return !lane.settled; };
  while (std::any_of(lanes_.begin(), lanes_.end(), is_open)) {
    const Narrowest narrowest = find_narrowest();
    for (Lane& lane : lanes_) {
      if (is_open(lane) && crosses(lane, narrowest)) settle_lane(lane, narrowest.share_Bps);
    }
  }
  return true;
}

} // namespace ddlsim
