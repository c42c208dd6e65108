#pragma once
// The rate that each server's messages get, where the nodes of a leaf differ only in what their servers do.

#include "sim/network/machine.hpp"
#include "sim/parameter_server/exchange.hpp"
#include "sim/parameter_server/server_classes.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace ddlsim {

/// Computes the max-min rates of FairShare. Two nodes can be interchanged, and have equal rates, if they are in leaves
/// of one class, host equally many servers, and of these equally many are taking in a shard and equally many giving one
/// out. So rates are solved for a few roles of nodes, and not for each node, however many classes of servers there are.
class NodeShare {
public:
  /// Returns nothing where a node's server classes differ in their number of servers on the node, or where nodes have
  /// dozens of classes.
  static std::optional<NodeShare> of(const Machine& machine, const ServerMachine& servers,
                                     const ServerExchange& exchange, const ServerClasses& classes, double ceiling_Bps);

  /// Sets whether the servers of a class take in (push) or give out a shard.
  void set_busy(std::size_t server_class, bool push, bool busy);

  /// Computes the rates of all flows.
  void settle();
  double rate_Bps(std::size_t server_class, bool push) const {
    return roles_[groups_[group_of_class_[server_class]].role].lanes[push ? 0 : 1].rate_Bps;
  }

private:
  /// The flows of a role's servers in one direction: pushes (0) or pulls (1).
  struct Lanes {
    double on_all = 0;   ///< flows of one class of such nodes on the NIC of each worker
    double in_leaf = 0;  ///< number of the flows on_all that go to and from servers in one leaf
    double at_home = 0;  ///< number of the flows on_all that stay in the node and cross no NIC
    double across = 0;   ///< flows of its servers on its own NIC
    double on_loop = 0;  ///< flows on its own loopback
    bool rises = false;  ///< whether its rate is not settled yet
    double rate_Bps = 0; ///< rate of one flow
  };

  /// One role; nodes of the same role are interchangeable.
  struct Role {
    std::size_t leaf = 0; ///< class of the nodes' leaves
    bool worker = false;
    double groups = 0;     ///< number of classes of nodes that have this role now
    std::size_t place = 0; ///< index in played_
    std::array<Lanes, 2> lanes{};
  };

  /// A class of nodes that host servers.
  struct Group {
    std::size_t role = 0;
    std::array<std::size_t, 2> role_step{}; ///< distance in roles_ to the role with one more push, or one more pull
  };

  /// The flows whose rates are not settled yet, and the total rate of the settled ones.
  struct Flows {
    double rising = 0;
    double settled_Bps = 0;
  };

  /// A class of leaves.
  struct Leaf {
    double workers = 0;             ///< number of worker nodes in one such leaf
    std::array<Flows, 2> inside{};  ///< flows between a worker and the servers of one leaf, in this round
    std::array<double, 2> up_Bps{}; ///< share of a flow on its uplinks, out and in
  };

  /// The rate that a role's links leave each unsettled flow: on its NIC, out and in; on its loopback, pushes and pulls;
  /// and on its NIC, both directions together.
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
  double rest_share_Bps(std::size_t direction) const;
  double rest_both_ways_Bps() const;
  double uplink_share_Bps(const Leaf& leaf, std::size_t direction) const;
  void fill_leaf(std::size_t leaf, double full_below_Bps, double level_Bps);
  void fill_role(std::size_t role, double full_below_Bps, double level_Bps);
  void fill_nic(std::size_t role, std::size_t direction, double level_Bps);
  template <class Stays> void settle_all_on(std::size_t direction, double rate_Bps, const Stays& stays);
  void settle_lanes(Lanes& lanes, double rate_Bps);

  double ceiling_Bps_;
  double nic_Bps_;
  double both_ways_Bps_; ///< rate of both directions of a NIC; infinite where they share no limit
  double uplink_Bps_;
  double loop_Bps_; ///< rate of the loopback; 0: there is none
  double workers_;
  double messages_per_node_;
  bool has_rest_ = false;                   ///< whether some workers host no server
  std::array<Flows, 2> on_all_{};           ///< flows on the NIC of every worker, in this round
  std::vector<Leaf> leaves_;                ///< empty where there is only one leaf
  std::vector<Role> roles_;                 ///< all roles that a kind of node may take, grouped by kind
  std::vector<std::size_t> played_;         ///< indices of the roles that at least one group has
  std::vector<Group> groups_;               ///< classes of nodes that host servers
  std::vector<std::size_t> group_of_class_; ///< index in groups_ of each class of servers
  std::vector<Shares> shares_;              ///< shares of each role, in this round
  std::size_t rising_ = 0;                  ///< number of lanes of roles whose rate is not settled
};

} // namespace ddlsim
