#pragma once
// What each server's messages get of the links while others are under way.

#include "sim/server/traffic.hpp"

#include <cstddef>
#include <vector>

namespace ddlsim {

/// Rate of one copy of the shard that each server takes in (push) and gives out (pull), for any set of busy servers:
/// max-min fairness between the servers' shards, all copies of a shard at one rate.
class FairShare {
public:
  FairShare(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange);

  /// A server begins or ends to take in (push) or to give out a shard.
  void set_busy(int server, bool push, bool busy);

  /// Call after the changes of a moment, before the rates are read.
  void settle();
  double rate_Bps(int server, bool push) const { return lanes_[lane_of(server, push)].rate_Bps; }

private:
  /// One direction of one server.
  struct Lane {
    int server = 0;
    bool push = true;
    bool busy = false;
    bool settled = false;
    double rate_Bps = 0;
  };

  /// Something added up over the lanes of a group of hosts.
  struct Sum {
    double push = 0;
    double pull = 0;
    double& of(bool is_push) { return is_push ? push : pull; }
  };

  /// Hosts behind one link to the rest: a node behind its NIC, a leaf behind its uplinks.
  struct HostGroup {
    double workers = 0; ///< worker nodes in it
    Sum open;           ///< busy lanes of its servers whose rate is not settled yet
    Sum settled_Bps;    ///< rates of its servers' settled lanes
  };

  /// All links of one kind, node or leaf.
  struct LinkLevel {
    double rate_Bps = 0;
    std::vector<HostGroup> groups{};
    std::vector<std::size_t> group_of_server{}; ///< by the server's place
    Sum open{};
    Sum settled_Bps{};
  };

  /// A link that lanes share: out of a group, into it, or inside a node for its own worker's copies.
  enum class Way { out, in, loop_push, loop_pull };
  struct Narrowest {
    double share_Bps = 0;
    const LinkLevel* level = nullptr; ///< null: no link, but the ceiling of each message
    std::size_t group = 0;
    Way way = Way::out;
  };

  std::size_t place_of(int server) const { return place_of_server_[static_cast<std::size_t>(server)]; }
  std::size_t lane_of(int server, bool push) const { return 2 * place_of(server) + (push ? 0 : 1); }
  LinkLevel node_level(const Machine& machine, const ServerMachine& servers) const;
  LinkLevel leaf_level(const Machine& machine, const ServerMachine& servers) const;
  double messages(const HostGroup& group, Way way, const Sum& all, const Sum& own) const;
  void consider(const LinkLevel& level, std::size_t group, Way way, double link_Bps, Narrowest& narrowest) const;
  Narrowest find_narrowest() const;
  bool crosses(const Lane& lane, const Narrowest& link) const;
  void reopen();
  void settle_lane(Lane& lane, double rate_Bps);

  std::vector<int> busy_servers_;            ///< those that have a shard at all, in order; the others move nothing
  std::vector<std::size_t> place_of_server_; ///< in busy_servers_
  double workers_ = 1;
  double messages_per_node_ = 1;
  double ceiling_Bps_ = 0;        ///< of one message, by its server process and connection
  double intra_Bps_ = 0;          ///< 0: no local copies
  std::vector<LinkLevel> levels_; ///< nodes first, then leaves where there is more than one
  std::vector<Lane> lanes_;
};

} // namespace ddlsim
