#pragma once
// What each server's messages get of the links while others are under way.

#include "sim/server/traffic.hpp"

#include <vector>

namespace ddlsim {

/// Hosts behind one link to the rest: a node behind its NIC, a leaf behind its uplinks.
struct HostGroup {
  int workers = 0; ///< worker nodes in it
  int pushed = 0;  ///< of its servers, how many take a shard in just now
  int pulled = 0;  ///< of its servers, how many give a shard out just now
};

/// All links of one kind.
struct LinkLevel {
  double rate_Bps = 0;
  std::vector<HostGroup> groups;
  std::vector<int> group_of_server;
};

/// Rate of one copy of the shard that each server takes in and gives out, for any set of busy servers.
class FairShare {
public:
  FairShare(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange);

  /// Call when server `server` begins (`change` +1) or ends (-1) to take in, or to give out, a shard.
  void push_changes(int server, int change);
  void pull_changes(int server, int change);

  /// Call after the changes of a moment, before the rates are read.
  void settle();
  double push_Bps(int server) const { return rate_Bps(server, true); }
  double pull_Bps(int server) const { return rate_Bps(server, false); }

private:
  /// Most messages on a link of any group with workers, and the group, so that a server's own group can be left out.
  struct Crowds {
    std::vector<int> up, down; ///< messages on each group's link, by direction
    int most_up = 0, most_up_elsewhere = 0, most_up_group = -1;
    int most_down = 0, most_down_elsewhere = 0, most_down_group = -1;
  };

  Crowds count_messages(const LinkLevel& level) const;
  double rate_Bps(int server, bool push) const;
  double level_share_Bps(const LinkLevel& level, const Crowds& crowds, int server, bool push) const;

  int workers_ = 1;
  int messages_per_node_ = 1;
  double own_limit_Bps_ = 0; ///< process and connection ceilings
  double intra_Bps_ = 0;     ///< 0: no local copies
  int pushing_ = 0;
  int pulling_ = 0;
  std::vector<LinkLevel> levels_; ///< nodes first, then leaves where there is more than one
  std::vector<Crowds> crowds_;
};

} // namespace ddlsim
