#include "sim/parameter_server/traffic.hpp"
#include "sim/simgrid/full.hpp"
#include "sim/simgrid/links.hpp"
#include "sim/simgrid/server_platform.hpp"
#include "sim/simgrid/simgrid_settings.hpp"

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace ddlsim {
namespace {

namespace s4u = simgrid::s4u;

/// Where one shard stands.
struct ShardState {
  std::uint64_t units = 0;
  double ready_s = 0;      ///< on every worker
  double slow_ready_s = 0; ///< on node 0
  int copies_to_come = 0;
  double summed_s = 0;      ///< when the last copy so far was in
  s4u::SemaphorePtr all_in; ///< opened once for each connection that waits
  int waiting = 0;
  int copies_to_give = 0;
  double pulled_s = 0;
};

/// One process of a worker node and one server. Each direction has an actor that sends its shards in order, and that is
/// the receiver of the other's.
struct ShardConnection {
  s4u::Host* worker = nullptr;
  s4u::Host* server = nullptr;
  s4u::Mailbox* to_server = nullptr;
  s4u::Mailbox* to_worker = nullptr;
  double delay_s = 0;
  bool from_slow_node = false;
  std::vector<ShardState*> shards;
};

/// Empties the mailbox by one message and returns when that has come.
void take(s4u::Mailbox& mailbox) {
  mailbox.get<int>();
}

/// Counts a copy; the last one wakes the connections that wait for the sum. Counted by the sender at the
/// moment its message ends, because the receiving actor may be busy giving out an earlier shard.
void count_copy(ShardState& shard, double in_s) {
  shard.summed_s = std::max(shard.summed_s, in_s);
  --shard.copies_to_come;
  if (shard.copies_to_come > 0) return;
  for (int i = 0; i < shard.waiting; ++i) {
    shard.all_in->release();
  }
}

void run_worker_side(const ShardConnection& connection) {
  connection.to_worker->set_receiver(s4u::Actor::self());
  for (ShardState* shard : connection.shards) {
    s4u::this_actor::sleep_until(connection.from_slow_node ? shard->slow_ready_s : shard->ready_s);
    connection.to_server->put(no_content(), shard->units);
    count_copy(*shard, s4u::Engine::get_clock() + connection.delay_s);
  }
  for (std::size_t i = 0; i < connection.shards.size(); ++i) {
    take(*connection.to_worker);
  }
  connection.to_worker->set_receiver(nullptr);
}

void run_server_side(const ShardConnection& connection) {
  connection.to_server->set_receiver(s4u::Actor::self());
  for (ShardState* shard : connection.shards) {
    take(*connection.to_server);
    if (shard->copies_to_come > 0) {
      ++shard->waiting;
      shard->all_in->acquire();
    }
    s4u::this_actor::sleep_until(shard->summed_s);
    connection.to_worker->put(no_content(), shard->units);
    --shard->copies_to_give;
    shard->pulled_s = std::max(shard->pulled_s, s4u::Engine::get_clock() + connection.delay_s);
  }
  connection.to_server->set_receiver(nullptr);
}

std::vector<ShardState> make_shards(const Machine& machine, const ServerMachine& servers,
                                    const ServerExchange& exchange) {
  const std::vector<double> sizes_bytes = message_sizes(machine, servers, exchange);
  const int copies = copies_at_server(machine, servers, exchange).all();
  std::vector<ShardState> shards(sizes_bytes.size());
  for (std::size_t i = 0; i < shards.size(); ++i) {
    shards[i].units = to_units(sizes_bytes[i]);
    shards[i].ready_s = exchange.ready_s[i];
    shards[i].slow_ready_s = exchange.slow_ready_s.empty() ? exchange.ready_s[i] : exchange.slow_ready_s[i];
    shards[i].copies_to_come = copies;
    shards[i].copies_to_give = copies;
    shards[i].all_in = s4u::Semaphore::create(0);
  }
  return shards;
}

std::vector<ShardConnection> make_connections(const Machine& machine, const ServerMachine& servers,
                                              const ServerExchange& exchange, std::vector<ShardState>& shards) {
  const ServerPlatform platform = make_server_platform(machine, servers);
  std::vector<std::vector<ShardState*>> queues(at(servers.servers));
  for (std::size_t i = 0; i < shards.size(); ++i) {
    queues[at(exchange.shards[i].server)].push_back(&shards[i]);
  }
  std::vector<ShardConnection> connections;
  for (int process = 0; process < machine.nodes() * exchange.messages_per_node; ++process) {
    const int node = process / exchange.messages_per_node;
    for (int server = 0; server < servers.servers; ++server) {
      if (queues[at(server)].empty()) continue;
      const std::string name = std::to_string(process) + "-" + std::to_string(server);
      const bool local = server_node(machine, servers, server) == node;
      connections.push_back({platform.workers[at(node)], platform.servers[at(server)],
                             s4u::Mailbox::by_name("push" + name), s4u::Mailbox::by_name("pull" + name),
                             local ? machine.intra_latency_s : machine.net_latency_s, node == 0, queues[at(server)]});
    }
  }
  return connections;
}

} // namespace

std::vector<double> simulate_server_exchange(const Machine& machine, const ServerMachine& servers,
                                             const ServerExchange& exchange) {
  start_simgrid();
  std::vector<ShardState> shards = make_shards(machine, servers, exchange);
  const std::vector<ShardConnection> connections = make_connections(machine, servers, exchange, shards);
  for (const ShardConnection& connection : connections) {
    s4u::Actor::create("worker side", connection.worker, [&connection] { run_worker_side(connection); });
    s4u::Actor::create("server side", connection.server, [&connection] { run_server_side(connection); });
  }
  s4u::Engine::get_instance()->run();
  std::vector<double> pulled_s;
  pulled_s.reserve(shards.size());
  for (const ShardState& shard : shards) {
    if (shard.copies_to_give != 0) throw std::logic_error("server exchange: messages were left over");
    pulled_s.push_back(shard.pulled_s);
  }
  return pulled_s;
}

} // namespace ddlsim
