#pragma once
// The engines that time communication, behind one interface: formulas, SimGrid with one member of each class, and
// SimGrid with every message.

#include "sim/collective/collective.hpp"
#include "sim/network/machine.hpp"
#include "sim/parameter_server/async.hpp"
#include "sim/parameter_server/exchange.hpp"
#include "sim/simgrid/fidelity.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// Times the communication of an iteration. SimGrid keeps global state, so it runs in a child of the fork server.
/// Throws std::runtime_error when that fails.
class Executor {
public:
  Executor() = default;
  virtual ~Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /// Times collectives of one kind and several sizes, which run one after another in the given order while nothing else
  /// uses the links. SimGrid runs all of them in one child. Where the ranks of a class behave alike, `classes` equals
  /// `full` to 1e-6. `full` equals the formula to 1e-6 for rings, and for halving-doubling on one switch with full
  /// nodes of 2^a ranks. Elsewhere messages contend for links: tests/simgrid/formula_range.hpp has the error of the
  /// formula. Throws NoSymmetry where a run by classes is impossible.
  virtual SimulatedTimes collectives(const Machine& machine, const std::vector<double>& sizes_bytes,
                                     const CollectiveKind& collective) const = 0;

  SimulatedTimes all_reduces(const Machine& machine, const std::vector<double>& sizes_bytes,
                             Algorithm algorithm) const {
    return collectives(machine, sizes_bytes, all_reduce_by(algorithm));
  }

  /// Returns when each message of several paths has passed. A path carries one message at a time, in the given order.
  /// Nothing contends, so the formula and SimGrid are equal.
  virtual SimulatedTimes paths(const std::vector<PathMessage>& messages, double rate_Bps) const = 0;

  /// Times push, sum and pull of all shards. With `full` SimGrid, in a child, shares links by max-min fairness and runs
  /// every copy of a shard as a message. With `classes` it runs one connection of each class in a child, which equals
  /// `full` to 1e-6, also with a slow node.
  ///
  /// Formula and full are equal (1e-6) for dedicated servers on one switch, for one colocated server, and for colocated
  /// servers with equal shards. With unequal shards on colocated servers the formula is mostly too slow, because it
  /// keeps the copies of a shard together. The table has end_s of formula / full - 1 on 12 nodes for a ResNet-like list
  /// of tensors, with everything ready at 0 / over 0.2 s of backward (tests/simgrid/server_formula_test.cpp):
  ///   sharding      6 servers       12 servers      24 servers
  ///   round-robin   0 / 0 %         +2.2 / +0.7 %   +1.6 / +6.7 %
  ///   split         0 / 0 %         +1.3 / +1.8 %   +0.9 / +0.8 %
  ///   bytes         +6.2 / +3.2 %   +1.4 / +6.1 %   -0.1 / +1.9 %
  ///   hash          +5.4 / +2.6 %   +8.5 / +3.9 %   -0.2 / +3.7 %
  virtual ServerExchangeTiming server_exchange(const Machine& machine, const ServerMachine& servers,
                                               const ServerExchange& exchange) const = 0;

  /// Returns the steady state of asynchronous servers. `full` runs every worker and push, each round in a child of its
  /// own, until the standard error of the mean iteration is 0.5 %. `classes` runs a fixed number of pushes, about a
  /// second at any scale: workers push less often, and where that is still too much, some workers and servers stand for
  /// all (`group_asynchronous`). The formula, a closed queueing network solved by mean value analysis, then corrects
  /// for the grouping. The table has iteration / full - 1; shards become ready one after another in the last two thirds
  /// of compute unless the row says "at its end" (full_async_test.cpp and async_groups_test.cpp in tests/simgrid):
  ///   workers, servers                                        formula        classes
  ///   at its end, equal shards                                within 3 %     within 3 %
  ///   2, 8 or 64 on 1                                         -19 to -37 %   within 3 %
  ///   8 on 4 unequal, at its end                              -39 %          within 3 %
  ///   64 on 4 unequal, 36 run, at its end                     -1 %           +1 %
  ///   64 on 4 unequal, nic_duplex 0.7, 20 run                 +2 %           -4 %
  ///   64 on 4 or 8 of their nodes, 32 or 24 run               -33, -21 %     -1, -5 %
  ///   32 on 8 of their nodes, 16 run                          -14 %          +3 %
  ///   16 on each node, 9 run                                  -6 %           +0 %
  ///   16 on each node, 1 to 16 times the bytes, 9 run         +20 %          +10 %
  ///   nic_duplex 0.4 to 0.7, at its end                       -19 to +15 %   within 3 %
  /// The formula is too fast where workers queue at a server that is nearly busy. Staleness is within 3 % where the
  /// iteration is and shards are equal; with unequal shards the formula takes the busiest server's bytes for all
  /// servers and is up to 25 % high.
  virtual AsyncTiming async_servers(const Machine& machine, const ServerMachine& servers,
                                    const AsyncExchange& async) const = 0;
};

const Executor& executor_of(Engine engine);

} // namespace ddlsim
