#include "sim/server/fair_share.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>

namespace ddlsim {
namespace {

constexpr double unlimited_Bps = std::numeric_limits<double>::infinity();

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

/// Nodes that host servers, each by itself; one more group stands for every worker node without a server, all alike.
LinkLevel node_level(const Machine& machine, const ServerMachine& servers) {
  LinkLevel level{machine.nic_Bps, {}, {}};
  std::map<int, int> group_of_node;
  for (int server = 0; server < servers.servers; ++server) {
    const int node = server_node(machine, servers, server);
    const auto [entry, is_new] = group_of_node.emplace(node, static_cast<int>(level.groups.size()));
    if (is_new) level.groups.push_back({node < machine.nodes() ? 1 : 0, 0, 0});
    level.group_of_server.push_back(entry->second);
  }
  const int hosting_workers = servers.dedicated ? 0 : static_cast<int>(level.groups.size());
  if (hosting_workers < machine.nodes()) level.groups.push_back({1, 0, 0});
  return level;
}

LinkLevel leaf_level(const Machine& machine, const ServerMachine& servers) {
  LinkLevel level{machine.uplink_Bps, {}, {}};
  int last_leaf = leaf_of_node(machine, machine.nodes() - 1);
  for (int server = 0; server < servers.servers; ++server) {
    level.group_of_server.push_back(leaf_of_node(machine, server_node(machine, servers, server)));
    last_leaf = std::max(last_leaf, level.group_of_server.back());
  }
  level.groups.resize(at(last_leaf + 1));
  for (int node = 0; node < machine.nodes(); ++node) {
    ++level.groups[at(leaf_of_node(machine, node))].workers;
  }
  return level;
}

double share_Bps(double rate, int messages) {
  return messages > 0 ? rate / messages : unlimited_Bps;
}

} // namespace

FairShare::FairShare(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange)
    : workers_(machine.nodes()), messages_per_node_(exchange.messages_per_node), own_limit_Bps_(unlimited_Bps),
      intra_Bps_(servers.dedicated ? 0.0 : machine.intra_Bps) {
  const int copies = copies_at_server(machine, servers, exchange).all();
  if (servers.process_Bps > 0) own_limit_Bps_ = servers.process_Bps / copies;
  if (servers.connection_Bps > 0) own_limit_Bps_ = std::min(own_limit_Bps_, servers.connection_Bps);
  levels_.push_back(node_level(machine, servers));
  LinkLevel leaves = leaf_level(machine, servers);
  if (leaves.groups.size() > 1) levels_.push_back(std::move(leaves));
  settle();
}

void FairShare::push_changes(int server, int change) {
  pushing_ += change;
  for (LinkLevel& level : levels_) {
    level.groups[at(level.group_of_server[at(server)])].pushed += change;
  }
}

void FairShare::pull_changes(int server, int change) {
  pulling_ += change;
  for (LinkLevel& level : levels_) {
    level.groups[at(level.group_of_server[at(server)])].pulled += change;
  }
}

void FairShare::settle() {
  crowds_.clear();
  for (const LinkLevel& level : levels_) {
    crowds_.push_back(count_messages(level));
  }
}

FairShare::Crowds FairShare::count_messages(const LinkLevel& level) const {
  Crowds crowds;
  const auto remember = [](int messages, int group, int& most, int& elsewhere, int& most_group) {
    if (messages > most) {
      elsewhere = most;
      most = messages;
      most_group = group;
    } else {
      elsewhere = std::max(elsewhere, messages);
    }
  };
  for (std::size_t i = 0; i < level.groups.size(); ++i) {
    const HostGroup& group = level.groups[i];
    const int outside = workers_ - group.workers;
    crowds.up.push_back(messages_per_node_ * (group.workers * (pushing_ - group.pushed) + group.pulled * outside));
    crowds.down.push_back(messages_per_node_ * (group.workers * (pulling_ - group.pulled) + group.pushed * outside));
    if (group.workers == 0) continue;
    const int index = static_cast<int>(i);
    remember(crowds.up.back(), index, crowds.most_up, crowds.most_up_elsewhere, crowds.most_up_group);
    remember(crowds.down.back(), index, crowds.most_down, crowds.most_down_elsewhere, crowds.most_down_group);
  }
  return crowds;
}

double FairShare::level_share_Bps(const LinkLevel& level, const Crowds& crowds, int server, bool push) const {
  const int group = level.group_of_server[at(server)];
  if (level.groups[at(group)].workers == workers_) return unlimited_Bps;
  const int own = push ? crowds.down[at(group)] : crowds.up[at(group)];
  const int worst_worker = push ? (crowds.most_up_group == group ? crowds.most_up_elsewhere : crowds.most_up)
                                : (crowds.most_down_group == group ? crowds.most_down_elsewhere : crowds.most_down);
  return share_Bps(level.rate_Bps, std::max(own, worst_worker));
}

double FairShare::rate_Bps(int server, bool push) const {
  double rate = own_limit_Bps_;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    rate = std::min(rate, level_share_Bps(levels_[i], crowds_[i], server, push));
  }
  if (intra_Bps_ > 0) {
    const HostGroup& node = levels_.front().groups[at(levels_.front().group_of_server[at(server)])];
    rate = std::min(rate, share_Bps(intra_Bps_, messages_per_node_ * (push ? node.pushed : node.pulled)));
  }
  return rate;
}

} // namespace ddlsim
