#include "sim/server/fair_share.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace ddlsim {
namespace {

constexpr double unlimited_Bps = std::numeric_limits<double>::infinity();

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

std::vector<bool> servers_with_shards(const ServerMachine& servers, const ServerExchange& exchange) {
  std::vector<bool> busy(at(servers.servers));
  for (const Shard& shard : exchange.shards) {
    busy[at(shard.server)] = true;
  }
  return busy;
}

/// Worker nodes of a leaf; none in a leaf of servers alone.
double workers_of_leaf(const Machine& machine, int leaf) {
  if (machine.nodes_per_leaf <= 0) return machine.nodes();
  return std::clamp(machine.nodes() - leaf * machine.nodes_per_leaf, 0, machine.nodes_per_leaf);
}

} // namespace

/// Nodes that host busy servers, each by itself; one more group stands for every other worker node, all alike.
FairShare::LinkLevel FairShare::node_level(const Machine& machine, const ServerMachine& servers) const {
  LinkLevel level{machine.nic_Bps};
  std::map<int, std::size_t> group_of_node;
  for (const int server : busy_servers_) {
    const int node = server_node(machine, servers, server);
    const auto [entry, is_new] = group_of_node.emplace(node, level.groups.size());
    if (is_new) level.groups.push_back({node < machine.nodes() ? 1.0 : 0.0, {}, {}});
    level.group_of_server.push_back(entry->second);
  }
  const std::size_t hosting_workers = servers.dedicated ? 0 : level.groups.size();
  if (hosting_workers < at(machine.nodes())) level.groups.push_back({1.0, {}, {}});
  return level;
}

/// Leaves that hold busy servers, each by itself, and of the others the one with most workers: nobody there has a
/// narrower share of an uplink.
FairShare::LinkLevel FairShare::leaf_level(const Machine& machine, const ServerMachine& servers) const {
  LinkLevel level{machine.uplink_Bps};
  std::map<int, std::size_t> group_of_leaf;
  for (const int server : busy_servers_) {
    const int leaf = leaf_of_node(machine, server_node(machine, servers, server));
    const auto [entry, is_new] = group_of_leaf.emplace(leaf, level.groups.size());
    if (is_new) level.groups.push_back({workers_of_leaf(machine, leaf), {}, {}});
    level.group_of_server.push_back(entry->second);
  }
  double most_workers = 0;
  for (int leaf = 0; leaf <= leaf_of_node(machine, machine.nodes() - 1); ++leaf) {
    if (!group_of_leaf.contains(leaf)) most_workers = std::max(most_workers, workers_of_leaf(machine, leaf));
  }
  if (most_workers > 0) level.groups.push_back({most_workers, {}, {}});
  return level;
}

FairShare::FairShare(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange)
    : workers_(machine.nodes()), messages_per_node_(exchange.messages_per_node), ceiling_Bps_(unlimited_Bps),
      intra_Bps_(servers.dedicated ? 0.0 : machine.intra_Bps) {
  const std::vector<bool> busy = servers_with_shards(servers, exchange);
  place_of_server_.resize(busy.size());
  for (std::size_t server = 0; server < busy.size(); ++server) {
    place_of_server_[server] = busy_servers_.size();
    if (busy[server]) busy_servers_.push_back(static_cast<int>(server));
  }
  const int copies = copies_at_server(machine, servers, exchange).all();
  if (servers.process_Bps > 0) ceiling_Bps_ = servers.process_Bps / copies;
  if (servers.connection_Bps > 0) ceiling_Bps_ = std::min(ceiling_Bps_, servers.connection_Bps);
  levels_.push_back(node_level(machine, servers));
  LinkLevel leaves = leaf_level(machine, servers);
  if (leaves.groups.size() > 1) levels_.push_back(std::move(leaves));
  for (const int server : busy_servers_) {
    lanes_.push_back({server, true});
    lanes_.push_back({server, false});
  }
}

void FairShare::set_busy(int server, bool push, bool busy) {
  lanes_[lane_of(server, push)].busy = busy;
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
  const double share_Bps = (link_Bps - messages(hosts, way, level.settled_Bps, hosts.settled_Bps)) / open;
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
  const bool inside = link.level->group_of_server[place_of(lane.server)] == link.group;
  const double workers = link.level->groups[link.group].workers;
  switch (link.way) {
  case Way::out:
    return lane.push ? !inside && workers > 0 : inside && workers < workers_;
  case Way::in:
    return lane.push ? inside && workers < workers_ : !inside && workers > 0;
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
      level.open.of(lane.push) += 1;
      level.groups[level.group_of_server[place_of(lane.server)]].open.of(lane.push) += 1;
    }
  }
  for (Lane& lane : lanes_) {
    lane.settled = !lane.busy;
  }
}

void FairShare::settle_lane(Lane& lane, double rate_Bps) {
  lane.rate_Bps = rate_Bps;
  lane.settled = true;
  for (LinkLevel& level : levels_) {
    HostGroup& group = level.groups[level.group_of_server[place_of(lane.server)]];
    level.open.of(lane.push) -= 1;
    group.open.of(lane.push) -= 1;
    level.settled_Bps.of(lane.push) += rate_Bps;
    group.settled_Bps.of(lane.push) += rate_Bps;
  }
}

/// Progressive filling: all rates rise together until a link is full; what crosses it is settled; the rest rises on.
void FairShare::settle() {
  reopen();
  const auto is_open = [](const Lane& lane) { return !lane.settled; };
  while (std::any_of(lanes_.begin(), lanes_.end(), is_open)) {
    const Narrowest narrowest = find_narrowest();
    for (Lane& lane : lanes_) {
      if (is_open(lane) && crosses(lane, narrowest)) settle_lane(lane, narrowest.share_Bps);
    }
  }
}

} // namespace ddlsim
