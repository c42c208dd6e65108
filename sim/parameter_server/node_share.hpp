#pragma once
// What each server's messages get of the links, where nodes of a leaf differ in nothing but what their servers do.

#include "sim/network/machine.hpp"
#include "sim/parameter_server/exchange.hpp"
#include "sim/parameter_server/server_classes.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace ddlsim {

/// The max-min rates of FairShare. Nodes in leaves of one class that have as many servers, of which as many take in and
/// as many give out, may be exchanged: their rates are equal. So a few roles of nodes are solved in place of each node
/// by itself, however many classes of servers there are.
class NodeShare {
public:
  /// Nothing where a node's servers are not all classes of as many a node, or where nodes have dozens of them.
  static std::optional<NodeShare> of(const Machine& machine, const ServerMachine& servers,
                                     const ServerExchange& exchange, const ServerClasses& classes, double ceiling_Bps);

  /// Changes what the servers of a class do: they take in (push) or give out a shard.
  void set_busy(std::size_t server_class, bool push, bool busy);

  /// Sets the rates.
  void settle();
  double rate_Bps(std::size_t server_class, bool push) const {
    return roles_[groups_[group_of_class_[server_class]].role].lanes[push ? 0 : 1].rate_Bps;
  }

private:
  /// What a role's servers have under way in one direction: pushes (0) or pulls (1).
  struct Lanes {
    double on_all = 0;   ///< flows of such a class of nodes on the NIC of every worker, on the workers' side
    double in_leaf = 0;  ///< of those, the ones from and to one leaf of its class
    double at_home = 0;  ///< of those, the ones that are none on its own NIC: they stay in the node
    double across = 0;   ///< flows on its own NIC, on the servers' side
    double on_loop = 0;  ///< and on its own loopback
    bool rises = false;  ///< its rate is not settled
    double rate_Bps = 0; ///< of one flow
  };

  /// Nodes that may be exchanged.
  struct Role {
    std::size_t leaf = 0; ///< class
    bool worker = false;
    double groups = 0;     ///< classes of nodes that play it now
    std::size_t place = 0; ///< in the list of those that are played
    std::array<Lanes, 2> lanes{};
  };

  /// A class of nodes that host servers.
  struct Group {
    std::size_t role = 0;
    std::array<std::size_t, 2> role_step{}; ///< to the role with one push, or one pull, more
  };

  /// Flows of many lanes.
  struct Flows {
    double rising = 0;
    double settled_Bps = 0;
  };

  /// A class of leaves.
  struct Leaf {
    double workers = 0;             ///< in one of them
    std::array<Flows, 2> inside{};  ///< from each worker to the servers of one, in this round
    std::array<double, 2> up_Bps{}; ///< shares of its uplinks, out and in
  };

  /// Shares of a role's links: on its NIC, out and in, on its loopback, pushes and pulls, and on its NIC both ways
  /// together.
  struct Shares {
    std::array<double, 2> nic_Bps{};
    std::array<double, 2> loop_Bps{};
    double both_ways_Bps = 0;
  };

  NodeShare(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange, double ceiling_Bps);

  void add_leaves(const ServerClasses& classes);
  bool add_groups(const ServerClasses& classes);
  void add_roles(const NodeClass& node, double leaves, double per_node, std::size_t hosted);
  void take_up(std::size_t role);
  void give_up(std::size_t role);
  void start();
  void count_flows();
  double narrowest_Bps();
  Shares shares_of(const Role& role) const;
  double rest_share_Bps(std::size_t way) const;
  double rest_both_ways_Bps() const;
  double uplink_share_Bps(const Leaf& leaf, std::size_t way) const;
  void fill_leaf(std::size_t leaf, double full_below_Bps, double level_Bps);
  void fill_role(std::size_t role, double full_below_Bps, double level_Bps);
  void fill_nic(std::size_t role, std::size_t way, double level_Bps);
  template <class Stays> void settle_all_on(std::size_t way, double rate_Bps, const Stays& stays);
  void settle_lanes(Lanes& lanes, double rate_Bps);

  double ceiling_Bps_;
  double nic_Bps_;
  double both_ways_Bps_; ///< of a NIC; infinite where its ways do not meet
  double uplink_Bps_;
  double loop_Bps_; ///< 0: none
  double workers_;
  double messages_per_node_;
  bool has_rest_ = false;                   ///< workers that host no server
  std::array<Flows, 2> on_all_{};           ///< flows on the NIC of every worker, in this round
  std::vector<Leaf> leaves_;                ///< none where there is one leaf only
  std::vector<Role> roles_;                 ///< all that a kind of node may come to play, of each kind together
  std::vector<std::size_t> played_;         ///< roles of at least one group
  std::vector<Group> groups_;               ///< of nodes that host servers
  std::vector<std::size_t> group_of_class_; ///< of each class of servers
  std::vector<Shares> shares_;              ///< of each role, in this round
  std::size_t rising_ = 0;                  ///< lanes of roles
};

} // namespace ddlsim
