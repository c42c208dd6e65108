#pragma once
// What each server's messages get of the links while others are under way.

#include "sim/network/max_min.hpp"
#include "sim/parameter_server/node_share.hpp"
#include "sim/parameter_server/server_classes.hpp"
#include "sim/parameter_server/traffic.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace ddlsim {

/// Rate of one copy of the shard that each server of a class takes in (push) and gives out (pull), for any set of busy
/// classes: max-min fairness between the servers' shards, all copies of a shard at one rate, servers of a class alike.
/// By roles of nodes where servers of a node are alike enough (NodeShare), else link by link.
class FairShare {
public:
  enum class Solver { by_roles, link_by_link }; ///< of equal rates; the first where it can

  FairShare(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
            const ServerClasses& classes, Solver solver = Solver::by_roles);

  /// The servers of a class begin or end to take in (push) or to give out a shard.
  void set_busy(std::size_t server_class, bool push, bool busy);

  bool is_busy(std::size_t server_class, bool push) const { return busy_[lane_of(server_class, push)] != 0; }

  /// Call after the changes of a moment, before the rates are read. False, at once, when the same lanes are busy as
  /// last time: a class that goes on with its next shard leaves all rates as they are.
  bool settle();
  double rate_Bps(std::size_t server_class, bool push) const {
    return nodes_ ? nodes_->rate_Bps(server_class, push) : links_.rate_Bps(lane_of(server_class, push));
  }

private:
  void add_links(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
                 const ServerClasses& classes);
  static std::size_t lane_of(std::size_t server_class, bool push) { return 2 * server_class + (push ? 0 : 1); }

  std::optional<NodeShare> nodes_;
  MaxMin links_;                       ///< flow 2c is a push and 2c + 1 a pull of server class c; without nodes_
  std::vector<char> busy_;             ///< each lane: 2c and 2c + 1
  std::vector<char> was_busy_;         ///< the same when rates were last shared
  std::vector<std::size_t> set_since_; ///< lanes that were set to busy or not since then
  std::size_t changed_ = 0;            ///< lanes whose busy is not was_busy_
};

} // namespace ddlsim
