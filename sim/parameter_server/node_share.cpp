#include "sim/parameter_server/node_share.hpp"

#include "sim/parameter_server/lanes.hpp"

#include <algorithm>
#include <compare>
#include <map>

namespace ddlsim {
namespace {

/// Shares that differ by less than this factor are equal: the difference is rounding (as in sim/network/max_min.cpp).
constexpr double equal_share = 1 + 1e-13;

/// Largest number of roles for each class of servers, which is enough for nodes with up to 13 classes of servers. At
/// one time hardly more roles are in use than there are classes of nodes.
constexpr std::size_t most_roles_a_class = 16;

/// Returns the number of roles of nodes with `hosted` classes of servers. From none to all of the classes may be busy
/// in each direction.
std::size_t count_roles(std::size_t hosted) {
  return (hosted + 1) * (hosted + 1);
}

/// Nodes whose servers may play the same roles.
struct NodeKind {
  std::size_t leaf_class = 0;
  bool worker = false;
  double per_leaf = 0;            ///< number of such nodes in a leaf
  double servers_of_class = 0;    ///< number of servers of each class on one node
  std::size_t server_classes = 0; ///< number of classes of servers on one node

  auto operator<=>(const NodeKind&) const = default;
};

} // namespace

NodeShare::NodeShare(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
                     double ceiling_Bps)
    : ceiling_Bps_(ceiling_Bps > 0 ? ceiling_Bps : never_s), nic_Bps_(machine.nic_Bps),
      both_ways_Bps_(machine.directions_share_limit() ? machine.both_ways_Bps() : never_s),
      uplink_Bps_(machine.uplink_Bps), loop_Bps_(servers.dedicated ? 0 : machine.intra_Bps), workers_(machine.nodes()),
      messages_per_node_(exchange.messages_per_node) {}

std::optional<NodeShare> NodeShare::of(const Machine& machine, const ServerMachine& servers,
                                       const ServerExchange& exchange, const ServerClasses& classes,
                                       double ceiling_Bps) {
  NodeShare share(machine, servers, exchange, ceiling_Bps);
  if (!share.add_groups(classes)) return {};
  share.add_leaves(classes);
  return share;
}

void NodeShare::add_leaves(const ServerClasses& classes) {
  double leaves = 0;
  for (const LeafClass& leaf : classes.leaves) leaves += leaf.leaves;
  if (leaves <= 1) return;
  leaves_.resize(classes.leaves.size());
  for (const NodeClass& node : classes.nodes)
    if (node.worker) leaves_[node.leaf_class].workers += node.per_leaf;
}

/// Adds the classes of nodes that host servers. Returns false where solving by roles is impossible or does not pay.
bool NodeShare::add_groups(const ServerClasses& classes) {
  std::vector<std::vector<std::size_t>> hosted(classes.nodes.size()); // the classes of servers on each class of nodes
  for (std::size_t i = 0; i < classes.servers.size(); ++i) hosted[classes.servers[i].node_class].push_back(i);
  group_of_class_.resize(classes.servers.size());
  std::map<NodeKind, std::size_t> first_roles;
  for (std::size_t i = 0; i < hosted.size(); ++i) {
    const NodeClass& node = classes.nodes[i];
    if (hosted[i].empty()) {
      has_rest_ = has_rest_ || node.worker;
      continue;
    }
    const std::size_t count = hosted[i].size();
    const double per_node = classes.servers[hosted[i].front()].per_node;
    for (const std::size_t server : hosted[i]) {
      if (classes.servers[server].per_node != per_node) return false;
      group_of_class_[server] = groups_.size();
    }
    const auto [known, is_new] =
        first_roles.try_emplace(NodeKind{node.leaf_class, node.worker, node.per_leaf, per_node, count}, roles_.size());
    if (is_new && roles_.size() + count_roles(count) > most_roles_a_class * classes.servers.size()) return false;
    if (is_new) add_roles(node, classes.leaves[node.leaf_class].leaves, per_node, count);
    groups_.push_back({known->second, {1, count + 1}});
    take_up(known->second);
  }
  shares_.resize(roles_.size());
  return true;
}

void NodeShare::add_roles(const NodeClass& node, double leaves, double per_node, std::size_t hosted) {
  const double others = node.worker ? workers_ - 1 : workers_;
  const auto lanes_of = [&](std::size_t busy) {
    const double on_node = messages_per_node_ * per_node * static_cast<double>(busy);
    Lanes lanes;
    lanes.in_leaf = node.per_leaf * on_node;
    lanes.on_all = leaves * lanes.in_leaf;
    lanes.at_home = node.worker ? on_node : 0;
    lanes.across = others * on_node;
    lanes.on_loop = loop_Bps_ > 0 ? on_node : 0;
    return lanes;
  };
  for (std::size_t pulls = 0; pulls <= hosted; ++pulls)
    for (std::size_t pushes = 0; pushes <= hosted; ++pushes)
      roles_.push_back({node.leaf_class, node.worker, 0, 0, {lanes_of(pushes), lanes_of(pulls)}});
}

void NodeShare::take_up(std::size_t role) {
  if (++roles_[role].groups > 1) return;
  roles_[role].place = played_.size();
  played_.push_back(role);
}

/// The last role in the list takes the place of the removed one.
void NodeShare::give_up(std::size_t role) {
  if (--roles_[role].groups > 0) return;
  roles_[played_.back()].place = roles_[role].place;
  played_[roles_[role].place] = played_.back();
  played_.pop_back();
}

void NodeShare::set_busy(std::size_t server_class, bool push, bool busy) {
  Group& group = groups_[group_of_class_[server_class]];
  const std::size_t step = group.role_step[push ? 0 : 1];
  give_up(group.role);
  group.role = busy ? group.role + step : group.role - step;
  take_up(group.role);
}

void NodeShare::start() {
  rising_ = 0;
  for (const std::size_t role : played_) {
    for (Lanes& lanes : roles_[role].lanes) {
      lanes.rate_Bps = 0;
      lanes.rises = lanes.on_all > 0;
      if (lanes.rises) ++rising_;
    }
  }
}

void NodeShare::count_flows() {
  on_all_ = {};
  for (Leaf& leaf : leaves_) leaf.inside = {};
  for (const std::size_t i : played_) {
    const Role& role = roles_[i];
    for (std::size_t direction = 0; direction < 2; ++direction) {
      const Lanes& lanes = role.lanes[direction];
      const auto add = [&](Flows& all, double flows) {
        if (lanes.rises) {
          all.rising += role.groups * flows;
        } else {
          all.settled_Bps += role.groups * flows * lanes.rate_Bps;
        }
      };
      add(on_all_[direction], lanes.on_all);
      if (!leaves_.empty()) add(leaves_[role.leaf].inside[direction], lanes.in_leaf);
    }
  }
}

double NodeShare::rest_share_Bps(std::size_t direction) const {
  const Flows& all = on_all_[direction];
  return has_rest_ && all.rising > 0 ? (nic_Bps_ - all.settled_Bps) / all.rising : never_s;
}

double NodeShare::rest_both_ways_Bps() const {
  const double rising = on_all_[0].rising + on_all_[1].rising;
  const double settled_Bps = on_all_[0].settled_Bps + on_all_[1].settled_Bps;
  return has_rest_ && rising > 0 ? (both_ways_Bps_ - settled_Bps) / rising : never_s;
}

/// Returns the share of a flow on a leaf's uplink, computed as on a NIC but without the flows inside the leaf.
double NodeShare::uplink_share_Bps(const Leaf& leaf, std::size_t direction) const {
  const Flows& all = on_all_[direction];
  const Flows& own = leaf.inside[direction];
  const Flows& other = leaf.inside[1 - direction];
  const double outside = workers_ - leaf.workers;
  const double rising = leaf.workers * (all.rising - own.rising) + outside * other.rising;
  const double settled_Bps = leaf.workers * (all.settled_Bps - own.settled_Bps) + outside * other.settled_Bps;
  return rising > 0 ? (uplink_Bps_ - settled_Bps) / rising : never_s;
}

/// Outgoing flows are the worker's pushes and the servers' pulls; incoming flows are the worker's pulls and the
/// servers' pushes.
NodeShare::Shares NodeShare::shares_of(const Role& role) const {
  Shares shares;
  double both_rising = 0;
  double both_settled_Bps = 0;
  for (std::size_t direction = 0; direction < 2; ++direction) {
    const Lanes& own = role.lanes[direction];
    const Lanes& other = role.lanes[1 - direction];
    double rising = other.rises ? other.across : 0;
    double settled_Bps = other.across * other.rate_Bps; // 0 while the rate is not settled
    if (role.worker) {
      rising += on_all_[direction].rising - (own.rises ? own.at_home : 0);
      settled_Bps += on_all_[direction].settled_Bps - own.at_home * own.rate_Bps;
    }
    shares.nic_Bps[direction] = rising > 0 ? (nic_Bps_ - settled_Bps) / rising : never_s;
    shares.loop_Bps[direction] = own.rises && own.on_loop > 0 ? loop_Bps_ / own.on_loop : never_s;
    both_rising += rising;
    both_settled_Bps += settled_Bps;
  }
  shares.both_ways_Bps = both_rising > 0 ? (both_ways_Bps_ - both_settled_Bps) / both_rising : never_s;
  return shares;
}

/// Returns the lowest share over all links, and keeps the share of each link.
double NodeShare::narrowest_Bps() {
  count_flows();
  double narrowest_Bps = std::min({ceiling_Bps_, rest_share_Bps(0), rest_share_Bps(1), rest_both_ways_Bps()});
  for (Leaf& leaf : leaves_) {
    leaf.up_Bps = {uplink_share_Bps(leaf, 0), uplink_share_Bps(leaf, 1)};
    narrowest_Bps = std::min({narrowest_Bps, leaf.up_Bps[0], leaf.up_Bps[1]});
  }
  for (const std::size_t i : played_) {
    const auto& [nic_Bps, loop_Bps, both_Bps] = shares_[i] = shares_of(roles_[i]);
    narrowest_Bps = std::min({narrowest_Bps, nic_Bps[0], nic_Bps[1], loop_Bps[0], loop_Bps[1], both_Bps});
  }
  return narrowest_Bps;
}

void NodeShare::settle_lanes(Lanes& lanes, double rate_Bps) {
  if (!lanes.rises) return;
  lanes.rises = false;
  lanes.rate_Bps = rate_Bps;
  --rising_;
}

/// Settles the workers' flows of one direction on a link. `stays` returns how many flows of a role are not on that
/// link.
template <class Stays> void NodeShare::settle_all_on(std::size_t direction, double rate_Bps, const Stays& stays) {
  for (const std::size_t i : played_) {
    Lanes& lanes = roles_[i].lanes[direction];
    if (roles_[i].groups * lanes.on_all > stays(i)) settle_lanes(lanes, rate_Bps);
  }
}

void NodeShare::fill_leaf(std::size_t leaf, double full_below_Bps, double level_Bps) {
  for (std::size_t direction = 0; direction < 2; ++direction) {
    if (leaves_[leaf].up_Bps[direction] > full_below_Bps) continue;
    const auto inside = [&](std::size_t i) {
      return roles_[i].leaf == leaf ? roles_[i].groups * roles_[i].lanes[direction].in_leaf : 0;
    };
    if (leaves_[leaf].workers > 0) settle_all_on(direction, level_Bps, inside);
    if (leaves_[leaf].workers < workers_)
      for (const std::size_t i : played_)
        if (roles_[i].leaf == leaf) settle_lanes(roles_[i].lanes[1 - direction], level_Bps);
  }
}

void NodeShare::fill_nic(std::size_t role, std::size_t direction, double level_Bps) {
  auto& lanes = roles_[role].lanes;
  const auto at_home = [&](std::size_t i) { return i == role ? lanes[direction].at_home : 0; };
  if (roles_[role].worker) settle_all_on(direction, level_Bps, at_home);
  if (lanes[1 - direction].across > 0) settle_lanes(lanes[1 - direction], level_Bps);
}

void NodeShare::fill_role(std::size_t role, double full_below_Bps, double level_Bps) {
  const Shares& shares = shares_[role];
  const bool both_full = shares.both_ways_Bps <= full_below_Bps;
  for (std::size_t direction = 0; direction < 2; ++direction) {
    if (shares.loop_Bps[direction] <= full_below_Bps) settle_lanes(roles_[role].lanes[direction], level_Bps);
    if (both_full || shares.nic_Bps[direction] <= full_below_Bps) fill_nic(role, direction, level_Bps);
  }
}

void NodeShare::settle() {
  start();
  double level_Bps = 0;
  while (rising_ > 0) {
    level_Bps = std::max(level_Bps, narrowest_Bps()); // the rate only rises, except by rounding
    const double full_below_Bps = level_Bps * equal_share;
    if (full_below_Bps >= ceiling_Bps_) {
      for (const std::size_t i : played_)
        for (Lanes& lanes : roles_[i].lanes) settle_lanes(lanes, ceiling_Bps_);
      return;
    }
    const double both_Bps = rest_both_ways_Bps();
    const std::array<double, 2> rest_Bps{std::min(both_Bps, rest_share_Bps(0)), std::min(both_Bps, rest_share_Bps(1))};
    for (std::size_t direction = 0; direction < 2; ++direction)
      if (rest_Bps[direction] <= full_below_Bps) settle_all_on(direction, level_Bps, [](std::size_t) { return 0; });
    for (std::size_t i = 0; i < leaves_.size(); ++i) fill_leaf(i, full_below_Bps, level_Bps);
    for (const std::size_t i : played_) fill_role(i, full_below_Bps, level_Bps);
  }
}

} // namespace ddlsim
