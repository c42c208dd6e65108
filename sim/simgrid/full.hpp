#pragma once
// What SimGrid runs message by message: ring, any collective given as a schedule, synchronous and asynchronous servers;
// and asynchronous servers by some of their workers.
// simulate_async_servers asks the fork server itself; the others run only in a fork, because they start SimGrid.

#include "sim/collective/collective.hpp"
#include "sim/collective/schedule.hpp"
#include "sim/network/machine.hpp"
#include "sim/parameter_server/async_groups.hpp"
#include "sim/parameter_server/exchange.hpp"
#include "sim/simgrid/class_runs.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace simgrid::s4u {
class Host;
} // namespace simgrid::s4u

namespace ddlsim {

// Runs a schedule on hosts that are connected already.

/// What delays a message from one rank to another at delivery, seconds.
using LatencyOf = std::function<double(int from, int to)>;

/// The messages of a collective of that size; which ranks talk must not depend on the size.
using ScheduleOfSize = std::function<Schedule(double size_bytes)>;

/// Collectives one after another, seconds each takes until its last program ends. Host i runs the programs of rank i.
/// Every program is an actor, which goes on with the next size when all are done: making an actor takes as long as
/// dozens of messages. Throws std::logic_error when messages do not pair up.
std::vector<double> run_schedules(const std::vector<simgrid::s4u::Host*>& hosts, const std::vector<double>& sizes_bytes,
                                  const ScheduleOfSize& schedule_of, const LatencyOf& latency_s);

/// Times of one ring after another, seconds; every rank is an actor and every chunk, or segment of one, a message. The
/// row says how often a chunk goes round, and its segments.
std::vector<double> simulate_rings(const Machine& machine, const std::vector<double>& sizes_bytes,
                                   const CollectiveAlgorithm& ring = ring_all_reduce);

/// Times of one collective after another, seconds; every program is an actor and every message a flow.
///
/// A message inside a node takes the port out of its sender and the port into its receiver, each of the intra rate; one
/// between nodes takes the NICs that all ranks of the nodes share, and the uplinks where it leaves a leaf. Flows that
/// meet share by max-min fairness. A latency is a delay at delivery: it holds no link.
std::vector<double> simulate_schedules(const Machine& machine, const std::vector<double>& sizes_bytes,
                                       const ScheduleOfSize& schedule_of);

/// When each shard of one exchange is summed, then when the slowest worker has each, seconds; every copy of every shard
/// is a message.
SimulatedTimes simulate_server_exchange(const Machine& machine, const ServerMachine& servers,
                                        const ServerExchange& exchange);

/// A neighbour of asynchronous servers: nodes of the machine's fabric behind those of the job and its servers' hosts,
/// which compute, sum by a ring, and begin again.
struct RingBeside {
  int first_node = 0;
  int nodes = 0;
  double compute_s = 0;
  double all_reduce_bytes = 0;
};

/// One round of asynchronous servers: updates/s, mean staleness, messages. Rounds of other numbers draw other computes.
/// A server answers a pull with one message of all its shards, and shards of a server that are ready together are
/// pushed as one; a fluid link carries them as it would one after another.
///
/// Which iterations are timed, and why those: sim/parameter_server/async_draws.hpp. A worker goes on until the last one
/// is measured, so that none is measured alone.
std::vector<double> simulate_async_round(const Machine& machine, const ServerMachine& servers,
                                         const AsyncExchange& async, int round,
                                         const std::vector<RingBeside>& beside = {});

/// That many rounds, each in a child; without a number until the standard error of the mean iteration is below 0.5 % of
/// it.
AsyncTiming simulate_async_servers(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async,
                                   std::optional<int> rounds = std::nullopt,
                                   const std::vector<RingBeside>& beside = {});

/// What is run of asynchronous servers by default. Links between switches are followed one by one only where nothing is
/// grouped and the fabric has room for all hosts; elsewhere every NIC counts as slow as the busiest of them makes one.
AsyncGroups groups_to_run(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async);

/// Asynchronous servers by some of their workers. What grouping adds to chance goes by the formula:
///   iteration = run + formula of all - formula of those that are run.
AsyncTiming simulate_async_groups(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async,
                                  const AsyncGroups& groups);

} // namespace ddlsim
