#pragma once
// What each server's messages get of the links while others are under way.

#include "sim/parameter_server/server_classes.hpp"
#include "sim/parameter_server/traffic.hpp"

#include <cstddef>
#include <vector>

namespace ddlsim {

/// Rate of one copy of the shard that each server of a class takes in (push) and gives out (pull), for any set of busy
/// classes: max-min fairness between the servers' shards, all copies of a shard at one rate, servers of a class alike.
class FairShare {
public:
  FairShare(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
            const ServerClasses& classes);

  /// The servers of a class begin or end to take in (push) or to give out a shard.
  void set_busy(std::size_t server_class, bool push, bool busy);

  /// Call after the changes of a moment, before the rates are read. False, at once, when the same lanes are busy as
  /// last time: a class that goes on with its next shard leaves all rates as they are.
  bool settle();
  double rate_Bps(std::size_t server_class, bool push) const { return lanes_[lane_of(server_class, push)].rate_Bps; }

private:
  /// One direction of the servers of a class.
  struct Lane {
    std::size_t server_class = 0;
    bool push = true;
    double servers = 1; ///< of the class
    bool busy = false;
    bool was_busy = false; ///< when rates were last shared
    bool settled = false;
    double rate_Bps = 0;
  };

  /// Something added up over the lanes of a group of hosts.
  struct Sum {
    double push = 0;
    double pull = 0;
    double& of(bool is_push) { return is_push ? push : pull; }
  };

  /// Hosts behind one link to the rest, one for all that are alike: a node behind its NIC, a leaf behind its uplinks.
  struct HostGroup {
    double workers = 0; ///< worker nodes in it
    Sum open;           ///< busy lanes of its servers whose rate is not settled yet
    Sum settled_Bps;    ///< rates of its servers' settled lanes
  };

  /// Where the servers of a class are: in groups of that kind, so many in each.
  struct Home {
    std::size_t group = 0;
    double servers = 0;
  };

  /// All links of one kind, node or leaf.
  struct LinkLevel {
    double rate_Bps = 0;
    std::vector<HostGroup> groups{};
    std::vector<Home> homes{}; ///< by server class
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

  static std::size_t lane_of(std::size_t server_class, bool push) { return 2 * server_class + (push ? 0 : 1); }
  static LinkLevel node_level(const Machine& machine, const ServerClasses& classes);
  static LinkLevel leaf_level(const Machine& machine, const ServerClasses& classes);
  double messages(const HostGroup& group, Way way, const Sum& all, const Sum& own) const;
  void consider(const LinkLevel& level, std::size_t group, Way way, double link_Bps, Narrowest& narrowest) const;
  Narrowest find_narrowest() const;
  bool crosses(const Lane& lane, const Narrowest& link) const;
  void reopen();
  void settle_lane(Lane& lane, double rate_Bps);

  double workers_ = 1;
  double messages_per_node_ = 1;
  double ceiling_Bps_ = 0;        ///< of one message, by its server process and connection
  double intra_Bps_ = 0;          ///< 0: no local copies
  std::vector<LinkLevel> levels_; ///< nodes first, then leaves where there is more than one
  std::vector<Lane> lanes_;
  std::size_t changed_ = 0; ///< lanes whose busy is not was_busy
};

} // namespace ddlsim
