#include "sim/parameter_server/async_draws.hpp"
#include "sim/parameter_server/traffic.hpp"
#include "sim/simgrid/full.hpp"
#include "sim/simgrid/requests.hpp"
#include "sim/simgrid/ring_run.hpp"
#include "sim/simgrid/server_run.hpp"
#include "sim/simgrid/simgrid_settings.hpp"

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace ddlsim {
namespace {

namespace s4u = simgrid::s4u;

/// Standard error, over the mean, until which rounds are run. A comparison to 3 % needs it.
constexpr double async_precision = 0.005;
constexpr int most_rounds = 200;

/// Shards of a server that become ready together and form one message, and how often that message was applied.
struct PushState {
  std::uint64_t units = 0;
  double size_bytes = 0;
  double ready_s = 0;
  std::int64_t updates = 0;
};

struct WorkerState {
  ComputeDraws draws;
  std::vector<double> factors{}; ///< compute of each iteration over its mean
  double mean_factor = 1;        ///< mean compute over that of other workers; not 1 on the slow node
  s4u::BarrierPtr together{};    ///< barrier for all connections of the worker
  double pulled_s = 0;           ///< time at which the last of the shards pulled so far had arrived
  double applied_s = 0;          ///< time at which the last of the pushes so far was applied
  double measured_from_s = 0;
  double iteration_s = 0;
  int last_iteration = std::numeric_limits<int>::max();
};

/// The counts of one round.
struct Round {
  double compute_s = 0;
  int workers_to_measure = 0;
  double stale_bytes = 0;
  double bytes = 0;
  double messages = 0;
};

struct AsyncConnection {
  WorkerState* worker = nullptr;
  Round* round = nullptr;
  s4u::Host* worker_host = nullptr;
  s4u::Host* server_host = nullptr;
  s4u::Mailbox* to_server = nullptr;
  s4u::Mailbox* to_worker = nullptr;
  double delay_s = 0;
  double most_Bps = 0; ///< ceiling of one message; 0: none
  bool first = false;  ///< whether this connection is its worker's first, which records the worker's times
  std::vector<PushState*> pushes;
  std::uint64_t pull_units = 0;
  /// number of updates that were applied when the parameters of each push left the server
  std::vector<double> pulled_updates;
};

/// Returns the compute factor of an iteration. All connections of a worker request the same factor; the first one draws
/// it.
double compute_factor(WorkerState& worker, int iteration) {
  while (worker.factors.size() <= at(iteration)) {
    worker.factors.push_back(worker.draws.next());
  }
  return worker.mean_factor * worker.factors[at(iteration)];
}

/// Records the number of updates at the start and at the end of a pull. The version of its parameters is the mean of
/// the two, because on average a parameter leaves the server in the middle of the pull.
void note_updates(AsyncConnection& connection, bool start) {
  for (std::size_t i = 0; i < connection.pushes.size(); ++i) {
    const double half = 0.5 * static_cast<double>(connection.pushes[i]->updates);
    connection.pulled_updates[i] = start ? half : connection.pulled_updates[i] + half;
  }
}

void pull(AsyncConnection& connection, int iteration) {
  note_updates(connection, true); // the server's side waits to send, so the transfer starts now
  connection.to_worker->get<int>();
  ++connection.round->messages;
  note_updates(connection, false);
  WorkerState& worker = *connection.worker;
  worker.pulled_s = std::max(worker.pulled_s, s4u::Engine::get_clock() + connection.delay_s);
  // This is set before they synchronise, so that all connections of a worker, and the servers' sides, end with the same
  // iteration.
  if (connection.round->workers_to_measure == 0) worker.last_iteration = std::min(worker.last_iteration, iteration);
  worker.together->wait();
}

void push(AsyncConnection& connection, int iteration) {
  WorkerState& worker = *connection.worker;
  Round& round = *connection.round;
  const double start_s = worker.pulled_s;
  const double factor = compute_factor(worker, iteration);
  for (std::size_t i = 0; i < connection.pushes.size(); ++i) {
    PushState& state = *connection.pushes[i];
    s4u::this_actor::sleep_until(start_s + factor * state.ready_s);
    send(*connection.to_server, state.units, connection.most_Bps);
    ++round.messages;
    if (is_measured(iteration)) {
      round.stale_bytes += state.size_bytes * (static_cast<double>(state.updates) - connection.pulled_updates[i]);
      round.bytes += state.size_bytes;
    }
    ++state.updates;
  }
  const double in_s = s4u::Engine::get_clock() + connection.delay_s;
  worker.applied_s = std::max({worker.applied_s, in_s, start_s + factor * round.compute_s});
  worker.together->wait();
}

void keep_time(WorkerState& worker, Round& round, int iteration) {
  if (iteration + 1 == first_measured) worker.measured_from_s = worker.applied_s;
  if (iteration + 1 != round_iterations) return;
  worker.iteration_s = (worker.applied_s - worker.measured_from_s) / measured_iterations;
  --round.workers_to_measure;
}

void run_worker_side(AsyncConnection& connection) {
  const WorkerState& worker = *connection.worker;
  for (int iteration = 0; iteration <= worker.last_iteration; ++iteration) {
    pull(connection, iteration);
    push(connection, iteration);
    s4u::this_actor::sleep_until(worker.applied_s);
    if (connection.first) keep_time(*connection.worker, *connection.round, iteration);
  }
}

void run_server_side(const AsyncConnection& connection) {
  for (int iteration = 0; iteration <= connection.worker->last_iteration; ++iteration) {
    send(*connection.to_worker, connection.pull_units, connection.most_Bps);
    for (std::size_t i = 0; i < connection.pushes.size(); ++i) {
      connection.to_server->get<int>();
    }
  }
}

/// Returns the pushes of each server in the order in which they become ready.
std::vector<std::vector<PushState>> make_pushes(const Machine& machine, const ServerMachine& servers,
                                                const ServerExchange& exchange) {
  const std::vector<double> sizes_bytes = message_sizes(machine, servers, exchange);
  std::vector<std::vector<PushState>> queues(at(servers.servers));
  for (std::size_t i = 0; i < sizes_bytes.size(); ++i) {
    auto& queue = queues[at(exchange.shards[i].server)];
    if (queue.empty() || queue.back().ready_s != exchange.ready_s[i]) queue.push_back({0, 0, exchange.ready_s[i]});
    queue.back().size_bytes += sizes_bytes[i];
  }
  for (auto& queue : queues) {
    for (PushState& state : queue) {
      state.units = to_units(state.size_bytes);
    }
  }
  return queues;
}

std::vector<WorkerState> make_workers(const Machine& machine, const AsyncExchange& async, double iteration,
                                      int connections, int round) {
  const int a_node = async.exchange.messages_per_node;
  std::vector<WorkerState> workers;
  for (int i = 0; i < machine.nodes() * a_node; ++i) {
    workers.push_back({ComputeDraws(async.seed, i, round, async.compute_spread, iteration)});
    workers.back().mean_factor = i < a_node ? async.slow_factor : 1.0;
    workers.back().together = s4u::Barrier::create(static_cast<unsigned>(connections));
  }
  return workers;
}

std::vector<AsyncConnection> make_connections(const Machine& machine, const ServerMachine& servers,
                                              const ServerPlatform& platform, const ServerExchange& exchange,
                                              std::vector<WorkerState>& workers,
                                              std::vector<std::vector<PushState>>& queues, Round& round) {
  std::vector<AsyncConnection> connections;
  for (std::size_t process = 0; process < workers.size(); ++process) {
    const int node = static_cast<int>(process) / exchange.messages_per_node;
    bool first = true;
    for (int server = 0; server < servers.servers; ++server) {
      std::vector<PushState*> pushes;
      std::uint64_t pull_units = 0;
      for (PushState& state : queues[at(server)]) {
        pushes.push_back(&state);
        pull_units += state.units;
      }
      if (pushes.empty()) continue;
      const std::string name = std::to_string(process) + "-" + std::to_string(server);
      const bool local = server_node(machine, servers, server) == node;
      connections.push_back({&workers[process], &round, platform.workers[at(node)], platform.servers[at(server)],
                             s4u::Mailbox::by_name("push" + name), s4u::Mailbox::by_name("pull" + name),
                             local ? machine.intra_latency_s : machine.net_latency_s, servers.connection_Bps, first,
                             pushes, pull_units, std::vector<double>(pushes.size(), 0.0)});
      first = false;
    }
  }
  return connections;
}

/// Runs one rank of a neighbouring job until the actor is killed.
void run_rank_beside(const std::vector<RingRank>& ranks, std::size_t rank, const RingBeside& ring,
                     s4u::Barrier& together) {
  const int steps = 2 * (ring.nodes - 1);
  ranks[rank].inbox->set_receiver(s4u::Actor::self());
  while (true) {
    s4u::this_actor::sleep_for(ring.compute_s);
    for (int step = 0; step < steps; ++step) {
      ranks[(rank + 1) % ranks.size()].inbox->put(no_content(), to_units(ring.all_reduce_bytes / ring.nodes));
      int* content = nullptr;
      const s4u::CommPtr message = ranks[rank].inbox->get_async<int>(&content);
      message->wait();
      s4u::this_actor::sleep_until(message->get_finish_time() + ranks[rank].delay_s);
    }
    together.wait();
  }
}

void start_beside(const std::vector<std::vector<RingRank>>& all_ranks, const std::vector<RingBeside>& beside) {
  for (std::size_t i = 0; i < beside.size(); ++i) {
    const auto together = s4u::Barrier::create(static_cast<unsigned>(beside[i].nodes));
    for (std::size_t rank = 0; rank < all_ranks[i].size(); ++rank)
      s4u::Actor::create("beside", all_ranks[i][rank].host, [&ranks = all_ranks[i], &ring = beside[i], rank, together] {
        run_rank_beside(ranks, rank, ring, *together);
      });
  }
}

} // namespace

std::vector<double> simulate_async_round(const Machine& machine, const ServerMachine& servers,
                                         const AsyncExchange& async, int round_number,
                                         const std::vector<RingBeside>& beside) {
  start_simgrid();
  auto queues = make_pushes(machine, servers, async.exchange);
  const auto used = std::count_if(queues.begin(), queues.end(), [](const auto& queue) { return !queue.empty(); });
  const double iteration = async_closed_form(machine, servers, async).iteration_s / async.compute_s;
  std::vector<WorkerState> workers = make_workers(machine, async, iteration, static_cast<int>(used), round_number);
  Round round{async.compute_s, static_cast<int>(workers.size())};
  const ServerPlatform platform = make_server_platform(machine, servers, beside);
  std::vector<AsyncConnection> connections =
      make_connections(machine, servers, platform, async.exchange, workers, queues, round);
  start_beside(platform.beside, beside);
  std::size_t left = connections.size();
  for (AsyncConnection& connection : connections) {
    s4u::Actor::create("worker side", connection.worker_host, [&connection, &left, &beside] {
      run_worker_side(connection);
      if (--left == 0 && !beside.empty()) s4u::Actor::kill_all();
    });
    s4u::Actor::create("server side", connection.server_host, [&connection] { run_server_side(connection); });
  }
  s4u::Engine::get_instance()->run();
  double updates_per_s = 0;
  for (const WorkerState& worker : workers) {
    updates_per_s += 1 / worker.iteration_s;
  }
  return {updates_per_s, round.stale_bytes / round.bytes, round.messages};
}

namespace {

Numbers run_round(const Numbers& numbers) {
  RequestReader read(numbers);
  const auto machine = read.machine();
  const auto servers = read.servers();
  const auto async = read.async();
  const int round = read.integer();
  std::vector<RingBeside> beside(static_cast<std::size_t>(read.integer()));
  for (RingBeside& ring : beside) {
    ring.first_node = read.integer();
    ring.nodes = read.integer();
    ring.compute_s = read.number();
    ring.all_reduce_bytes = read.number();
  }
  return simulate_async_round(machine, servers, async, round, beside);
}

Numbers request_of(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async, int round,
                   const std::vector<RingBeside>& beside) {
  RequestWriter request;
  request.add(machine);
  request.add(servers);
  request.add(async);
  request.add(round);
  request.add(static_cast<int>(beside.size()));
  for (const RingBeside& ring : beside) {
    request.add(ring.first_node);
    request.add(ring.nodes);
    request.add(ring.compute_s);
    request.add(ring.all_reduce_bytes);
  }
  return request.numbers();
}

} // namespace

AsyncTiming simulate_async_servers(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async,
                                   std::optional<int> rounds, const std::vector<RingBeside>& beside) {
  const auto formula = async_closed_form(machine, servers, async);
  const int workers = machine.nodes() * async.exchange.messages_per_node;
  AsyncTiming timing;
  double squares = 0;
  bool sure = false;
  int run = 0;
  for (; run < rounds.value_or(most_rounds) && !sure; ++run) {
    const auto one = run_in_fork(run_round, request_of(machine, servers, async, run, beside));
    const double iteration_s = workers / one[0];
    timing.iteration_s += iteration_s;
    squares += iteration_s * iteration_s;
    timing.mean_staleness += one[1];
    timing.simgrid_messages += one[2];
    const double mean = timing.iteration_s / (run + 1);
    const double variance = std::max(0.0, squares / (run + 1) - mean * mean) / std::max(1, run);
    sure = !rounds && run + 1 >= fewest_rounds(workers) && std::sqrt(variance) <= async_precision * mean;
  }
  timing.iteration_s /= run;
  timing.mean_staleness /= run;
  timing.updates_per_s = workers / timing.iteration_s;
  timing.busiest_server = formula.busiest_server;
  timing.busiest_server_share = formula.busiest_server_share * timing.updates_per_s / formula.updates_per_s;
  return timing;
}

} // namespace ddlsim
