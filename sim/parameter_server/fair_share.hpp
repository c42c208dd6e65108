#pragma once
// The rate that each server's messages get while others are under way.

#include "sim/network/max_min.hpp"
#include "sim/parameter_server/node_share.hpp"
#include "sim/parameter_server/server_classes.hpp"
#include "sim/parameter_server/traffic.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace ddlsim {

/// Computes the rate of one copy of the shard that each server of a class takes in (push) and gives out (pull), for any
/// set of busy classes. The servers' shards share links by max-min fairness. All copies of a shard have one rate, and
/// so have all servers of a class. Rates are solved by roles of nodes where the servers of a node are similar enough
/// (NodeShare), else link by link.
class FairShare {
public:
  /// the two ways to solve, which give equal rates; by_roles is used where it can be
  enum class Solver { by_roles, link_by_link };

  FairShare(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
            const ServerClasses& classes, Solver solver = Solver::by_roles);

  /// Sets whether the servers of a class take in (push) or give out a shard.
  void set_busy(std::size_t server_class, bool push, bool busy);

  bool is_busy(std::size_t server_class, bool push) const { return busy_[lane_of(server_class, push)] != 0; }

  /// Shares the links again. Call it after all changes of a moment and before rates are read. Returns false, and
  /// changes nothing, if the same lanes are busy as at the last call: a class that continues with its next shard leaves
  /// all rates as they are.
  bool settle();
  double rate_Bps(std::size_t server_class, bool push) const {
    return nodes_ ? nodes_->rate_Bps(server_class, push) : links_.rate_Bps(lane_of(server_class, push));
  }

private:
  void add_links(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
                 const ServerClasses& classes);
  static std::size_t lane_of(std::size_t server_class, bool push) { return 2 * server_class + (push ? 0 : 1); }

  std::optional<NodeShare> nodes_;
  MaxMin links_;                       ///< flow 2c is a push and 2c + 1 a pull of server class c; not used with nodes_
  std::vector<char> busy_;             ///< whether each lane (2c and 2c + 1) is busy
  std::vector<char> was_busy_;         ///< value of busy_ when rates were last shared
  std::vector<std::size_t> set_since_; ///< lanes that set_busy() has set since rates were last shared
  std::size_t changed_ = 0;            ///< number of lanes whose busy_ differs from was_busy_
};

} // namespace ddlsim
