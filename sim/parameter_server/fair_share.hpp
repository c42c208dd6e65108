#pragma once
// What each server's messages get of the links while others are under way.

#include "sim/network/max_min.hpp"
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
  double rate_Bps(std::size_t server_class, bool push) const { return links_.rate_Bps(lane_of(server_class, push)); }

private:
  static std::size_t lane_of(std::size_t server_class, bool push) { return 2 * server_class + (push ? 0 : 1); }

  MaxMin links_;               ///< flow 2c is a push and 2c + 1 a pull of server class c
  std::vector<char> was_busy_; ///< each lane, when rates were last shared
  std::size_t changed_ = 0;    ///< lanes whose busy is not was_busy_
};

} // namespace ddlsim
