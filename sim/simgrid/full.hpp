#pragma once
// Simulations in which SimGrid runs every message: rings, any collective given as a schedule, and synchronous and
// asynchronous servers. Asynchronous servers can also be run with some of their workers. simulate_async_servers uses
// the fork server itself. Call the others only in a fork, because they start SimGrid.

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

// Schedules on hosts that are connected already.

/// Returns the delay of a message from one rank to another at delivery, seconds.
using LatencyOf = std::function<double(int from, int to)>;

/// Returns the messages of a collective of that size. The size must not change which ranks communicate.
using ScheduleOfSize = std::function<Schedule(double size_bytes)>;

/// Runs collectives one after another, and returns the seconds that each takes until its last program ends. Host i runs
/// the programs of rank i. Every program is an actor, which continues with the next size when all are done, because
/// making an actor takes as long as dozens of messages. Throws std::logic_error when a send has no receive or a receive
/// no send.
std::vector<double> run_schedules(const std::vector<simgrid::s4u::Host*>& hosts, const std::vector<double>& sizes_bytes,
                                  const ScheduleOfSize& schedule_of, const LatencyOf& latency_s);

/// Returns the times of rings that run one after another, seconds. Every rank is an actor, and every chunk, or segment
/// of a chunk, is a message. `ring` says how many turns a chunk makes, and how many segments it has.
std::vector<double> simulate_rings(const Machine& machine, const std::vector<double>& sizes_bytes,
                                   const CollectiveAlgorithm& ring = ring_all_reduce);

/// Returns the times of collectives that run one after another, seconds. Every program is an actor and every message a
/// flow.
///
/// A message inside a node uses the sender's port out and the receiver's port in, each of the intra rate. A message
/// between nodes uses the NICs, which all ranks of a node share, and the uplinks where it leaves a leaf. Flows on the
/// same link share it by max-min fairness. A latency is a delay at delivery: it holds no link.
std::vector<double> simulate_schedules(const Machine& machine, const std::vector<double>& sizes_bytes,
                                       const ScheduleOfSize& schedule_of);

/// Returns the times in seconds when each shard of one exchange is summed, and then those when the slowest worker has
/// each shard. Every copy of every shard is a message.
SimulatedTimes simulate_server_exchange(const Machine& machine, const ServerMachine& servers,
                                        const ServerExchange& exchange);

/// A neighbouring job of asynchronous servers. It runs on nodes of the machine's fabric behind those of the workers and
/// of the servers' hosts, and repeats compute and a ring all-reduce.
struct RingBeside {
  int first_node = 0;
  int nodes = 0;
  double compute_s = 0;
  double all_reduce_bytes = 0;
};

/// Simulates one round of asynchronous servers; returns updates/s, mean staleness and the number of messages. Rounds of
/// other numbers draw other compute times. A server answers a pull with one message of all its shards, and shards of a
/// server that are ready together are pushed as one message; in SimGrid's fluid model this takes as long as one message
/// after another.
///
/// sim/parameter_server/async_draws.hpp says which iterations are timed, and why. A worker goes on until the last
/// worker is measured, so that no worker is measured alone.
std::vector<double> simulate_async_round(const Machine& machine, const ServerMachine& servers,
                                         const AsyncExchange& async, int round,
                                         const std::vector<RingBeside>& beside = {});

/// Simulates `rounds` rounds, each in a child of its own. Where `rounds` is not given, it simulates as many as bring
/// the standard error of the mean iteration below 0.5 % of that mean.
AsyncTiming simulate_async_servers(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async,
                                   std::optional<int> rounds = std::nullopt,
                                   const std::vector<RingBeside>& beside = {});

/// Returns the workers and servers that an asynchronous run simulates by default. Links between switches are simulated
/// one by one only where nothing is grouped and the fabric has room for all hosts. Elsewhere every NIC gets the lower
/// rate that the busiest of these links would leave it.
AsyncGroups groups_to_run(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async);

/// Simulates asynchronous servers with some of their workers. The formula gives the part of the time that grouping
/// changes:
///   iteration = run + formula of all workers - formula of the workers that are run.
AsyncTiming simulate_async_groups(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async,
                                  const AsyncGroups& groups);

} // namespace ddlsim
